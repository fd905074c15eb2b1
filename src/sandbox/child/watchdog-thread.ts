import { encodeFrame } from '../protocol.ts';
import { RunState } from './run-state.ts';
import { TurnWatchdog } from './turn-watchdog.ts';
import { frameWriter } from './write-frames.ts';

/** Runs the watchdog in the thread that `startWatchdog` makes. `cells` are those of the main thread's state. */
export function runWatchdog(cells: RunState['cells']): never {
  const die = () => process.kill(process.pid, 'SIGKILL');
  const write = frameWriter(process.getBuiltinModule('node:fs').writeSync, die);
  return new TurnWatchdog(new RunState(cells), (head) => write(encodeFrame(head)), die).watch();
}
