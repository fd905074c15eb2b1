import { MAX_TIMERS, type Post } from '../protocol.ts';
import { apply, bare, put } from './intrinsics.ts';

interface Timer {
  callback: (...args: unknown[]) => unknown;
  args: unknown[];
  repeat: boolean;
}

/** The timer globals. The child runs the timers and enters the guest when one is due. */
export function makeTimers(post: Post) {
  const timers = bare<Timer>();
  let made = 0;
  let open = 0;

  function set(callback: unknown, ms: unknown, args: unknown[], repeat: boolean): number {
    if (typeof callback !== 'function') throw new TypeError('A timer needs a function to call');
    if (open >= MAX_TIMERS) throw new RangeError(`More than ${MAX_TIMERS} timers at one time`);
    made += 1;
    open += 1;
    timers[made] = { callback: callback as Timer['callback'], args, repeat };
    // A delay that is no number or overflows setTimeout fires at once, as in Node.
    const delay = Number(ms);
    post('timer', made, delay >= 1 && delay < 2 ** 31 ? delay : 1, repeat);
    return made;
  }

  function clear(id: unknown): void {
    if (typeof id !== 'number' || !timers[id]) return;
    delete timers[id];
    open -= 1;
    post('clear', id);
  }

  function fire(id: number): void {
    const timer = timers[id];
    if (!timer) return;
    if (!timer.repeat) {
      delete timers[id];
      open -= 1;
    }
    apply(timer.callback, undefined, timer.args);
  }

  function install(): void {
    const add = (name: string, value: unknown) => put(globalThis, name, value, false);
    add('setTimeout', (callback: unknown, ms: unknown, ...args: unknown[]) => set(callback, ms, args, false));
    add('setInterval', (callback: unknown, ms: unknown, ...args: unknown[]) => set(callback, ms, args, true));
    add('clearTimeout', clear);
    add('clearInterval', clear);
  }

  return { install, fire };
}
