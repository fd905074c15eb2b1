import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from '../support/clients.ts';

/** The official servers `filesystem`, `memory` (a knowledge graph) and `everything`, over one folder. */
export class NpmServers {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), 'pml-files-')));
  readonly #graph = join(this.root, 'graph.jsonl');

  commands(): Record<string, Command & { env: Record<string, string> }> {
    const env = { PATH: process.env.PATH ?? '', MEMORY_FILE_PATH: this.#graph };
    const command = (name: string, ...args: string[]) => ({
      command: process.execPath,
      args: [
        fileURLToPath(
          new URL(`../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`, import.meta.url),
        ),
        ...args,
      ],
      env,
    });
    return {
      filesystem: command('filesystem', this.root),
      memory: command('memory'),
      everything: command('everything'),
    };
  }

  /** Writes the first state of the files and the graph, which each use changes. */
  reset(): void {
    for (const [name, text] of Object.entries(FILES)) {
      const file = join(this.root, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    writeFileSync(this.#graph, GRAPH.map((one) => JSON.stringify(one)).join('\n'));
  }

  close(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

const log = (word: string, lines: number) =>
  Array.from({ length: lines }, (_, at) =>
    at % 7 === 0
      ? `2026-11-0${(at % 9) + 1} ${word} request ${at} took too long`
      : `2026-11-0${(at % 9) + 1} INFO request ${at} done`,
  ).join('\n');

export const FILES: Readonly<Record<string, string>> = {
  'logs/app.log': log('ERROR', 60),
  'logs/web.log': log('WARN', 45),
  'notes/plan.txt': 'Ship the release.\nTell the team.',
  'notes/ideas.txt': 'Write a parser.\nDraw a map.\nSleep.',
  'sales/may.csv': 'item,amount\npens,12\nbooks,30\nlamps,8',
  'sales/june.csv': 'item,amount\npens,7\nbooks,44\nlamps,15\nchairs,3',
  'config/base.json': '{"port":80,"debug":false}',
  'config/local.json': '{"debug":true}',
  'config/defaults.json': '{"theme":"light","size":10}',
  'config/user.json': '{"theme":"dark"}',
};

const GRAPH = [
  { type: 'entity', name: 'Ada', entityType: 'person', observations: ['writes compilers'] },
  { type: 'entity', name: 'Grace', entityType: 'person', observations: ['finds bugs'] },
  { type: 'entity', name: 'Acme', entityType: 'company', observations: ['makes anvils'] },
  { type: 'entity', name: 'Initech', entityType: 'company', observations: ['writes reports'] },
  { type: 'relation', from: 'Ada', to: 'Acme', relationType: 'works at' },
];
