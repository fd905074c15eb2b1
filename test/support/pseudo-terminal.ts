import { spawn, spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { screenText } from '../../scripts/terminal-screen.ts';

/** Keys to type once the terminal has shown a match since the step before. */
export type Step = readonly [shown: RegExp, typed: string];

export interface TerminalOptions {
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** Columns and rows; [0, 0] for a terminal that does not know. */
  size?: readonly [columns: number, rows: number];
  steps?: readonly Step[];
  /** How long to wait before each key, so that a recording shows what a person sees. */
  pauseMs?: number;
}

export interface Shown {
  code: number | null;
  /** All that was written to the terminal. */
  output: string;
  /** The screen at each step, before the keys were typed. */
  screens: string[];
}

const LIMIT_MS = 180_000;

/** True if `script` of util-linux is there, which makes the terminal. */
export const hasTerminal = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

/** Runs a command of the shell in a pseudo-terminal and types into it. */
export function inTerminal(command: string, options: TerminalOptions): Promise<Shown> {
  const { cwd, env, size = [100, 50], steps = [], pauseMs = 0 } = options;
  const [columns, rows] = size;
  const child = spawn('script', ['-qefc', `stty cols ${columns} rows ${rows}; ${command}`, '/dev/null'], {
    cwd,
    env,
  });
  const left = [...steps];
  const screens: string[] = [];
  let output = '';
  let seen = 0;
  const type = (keys: string) => {
    screens.push(screenText(output));
    child.stdin.write(keys);
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill();
      reject(new Error(`"${command}" did not end. It showed:\n${output}`));
    }, LIMIT_MS);
    child.stdout.on('data', (chunk) => {
      output += chunk;
      const [next] = left;
      if (!next?.[0].test(stripVTControlCharacters(output.slice(seen)))) return;
      left.shift();
      seen = output.length;
      setTimeout(type, pauseMs, next[1]);
    });
    child.once('close', (code) => {
      clearTimeout(timer);
      if (left.length > 0) reject(new Error(`"${left[0]?.[0]}" was never shown:\n${output}`));
      else resolve({ code, output, screens });
    });
  });
}
