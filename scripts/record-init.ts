// Records the first minutes of a new user as text: from the configs of four clients to a gateway that runs. `npm run record-init` writes
// docs/first-five-minutes.txt. It types into a real terminal (`script` of util-linux), so the page shows what a person sees.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PROGRAM, programOf } from '../test/support/pml.ts';
import { inTerminal, type Step } from '../test/support/pseudo-terminal.ts';
import { buildPackage } from './build.ts';
import { screenText } from './terminal-screen.ts';

const OUT = path.join(import.meta.dirname, '..', 'docs', 'first-five-minutes.txt');
const SILENCE_MS = 1500;

const ENTER = '\r';
const INIT_STEPS: readonly Step[] = [
  [/Which servers shall PML serve\?/, ENTER],
  [/Spare the model's context\?/, ENTER],
  [/Connect which clients to PML\?/, ENTER],
  [/Start PML now, with these servers\?/, ENTER],
];

/** Runs a command in a terminal, types the steps, and returns what the screen showed. */
async function record(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  steps: readonly Step[] = [],
): Promise<string> {
  // A person reads before pressing a key; the prompt has drawn itself by then.
  const shown = await inTerminal(command, { cwd, env, steps, pauseMs: SILENCE_MS });
  return withPrompts(screenText(shown.output), shown.screens.map(promptOf));
}

/** The question that waits for an answer, with all that it offers. */
function promptOf(screen: string): string {
  return screen.slice(screen.lastIndexOf('◆')).trimEnd();
}

/** Shows each question as it was asked before its answer. */
function withPrompts(screen: string, frames: readonly string[]): string {
  return frames.reduce((text, frame) => {
    const question = frame.split('\n')[0]?.slice(1) ?? '';
    return text.replace(`◇${question}`, () => `${frame}\n◇${question}`);
  }, screen);
}

/** A user with the configs of four clients, over servers that need no network. */
function makeUser(root: string): { cwd: string; env: NodeJS.ProcessEnv } {
  const home = path.join(root, 'ana');
  const cwd = path.join(home, 'app');
  const bin = path.join(home, 'bin');
  const write = (file: string, content: unknown) => {
    const target = path.join(home, file);
    mkdirSync(path.dirname(target), { recursive: true });
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    writeFileSync(target, text, { mode: 0o755 });
  };
  const program = (name: string, file: string) =>
    write(`bin/${name}`, `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`);
  program('pml', PROGRAM);
  program('mcp-filesystem', programOf('@modelcontextprotocol/server-filesystem'));
  program('mcp-memory', programOf('@modelcontextprotocol/server-memory'));
  program('mcp-everything', programOf('@modelcontextprotocol/server-everything'));
  // Stands in for Claude Code's own command, which is not installed here.
  write('bin/claude', '#!/bin/sh\nexit 0\n');
  const filesystem = { command: 'mcp-filesystem', args: ['.'] };
  write('app/package.json', { name: 'app', version: '1.2.3' });
  write('.claude.json', { mcpServers: { filesystem } });
  write('.config/Claude/claude_desktop_config.json', {
    mcpServers: {
      files: filesystem,
      memory: { command: 'mcp-memory', env: { API_KEY: 'sk-example-1234567890' } },
    },
  });
  write(
    '.cursor/mcp.json',
    '{\n  // tries things out\n  "mcpServers": { "everything": { "command": "mcp-everything" } }\n}\n',
  );
  write('.config/Code/User/mcp.json', { servers: { unused: { command: 'mcp-memory', disabled: true } } });
  const env = {
    HOME: home,
    PATH: `${bin}:${process.env.PATH}`,
    TERM: 'xterm-256color',
    NO_COLOR: '1',
    PML_IDLE_SECONDS: '30',
  };
  return { cwd, env };
}

await buildPackage();
const root = mkdtempSync(path.join(tmpdir(), 'pml-record-'));
const { cwd, env } = makeUser(root);
try {
  const parts: string[] = [];
  const show = async (command: string, steps?: readonly Step[]) => {
    parts.push(`~/app $ ${command}\n${(await record(command, cwd, env, steps)).trimEnd()}\n`);
  };
  await show('pml init', INIT_STEPS);
  await show('cat pml.json pml.env');
  await show('pml run filesystem:read_text_file --path package.json');
  await show('pml status');
  await show('pml init --undo');
  await show('pml down');
  const text = parts
    .join('\n')
    .replaceAll(env.HOME ?? '', '/home/ana')
    .replaceAll(root, '/home');
  writeFileSync(
    OUT,
    `${text.replace(/file:\/\/\S*\/schema\//g, 'file:///usr/lib/node_modules/pml/schema/')}`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
