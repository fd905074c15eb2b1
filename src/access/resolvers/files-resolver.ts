import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { untilde } from '../../home.js';
import type { BuiltInResolver } from '../agents/built-in-resolver.ts';
import { ContainedFolders } from '../servers/contained-folders.ts';
import { FILE_TOOLS } from '../servers/file-tools.ts';
import { inProcessServer } from './in-process.ts';
import { type ServeCommandOptions, serveCommand } from './serve-command.ts';

/** On Linux, the environments of PML and of every server, with their secrets, can be read here. */
const PROCESSES = '/proc';

/** Files in some folders, and nothing else of the disk. */
export function filesResolver(options: ServeCommandOptions): BuiltInResolver {
  return {
    key: 'files',
    isListed: true,
    tools: FILE_TOOLS.map(({ descriptor }) => descriptor),
    configSchema: {
      type: 'object',
      description: 'Files in the folders that "dirs" names, and nothing else of the disk.',
      properties: {
        dirs: {
          type: 'array',
          minItems: 1,
          maxItems: 100,
          items: { type: 'string', minLength: 1 },
          description:
            'The folders that it can reach, relative to the config file. Nothing else can be reached.',
        },
      },
      required: ['dirs'],
      additionalProperties: false,
    },
    warningsOf: ({ dirs }, workspaceDir) =>
      foldersOf(dirs, workspaceDir)
        .filter((folder) => !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
        .map((folder) => `there is no folder ${folder}`),
    resolve: (context) => ({ mcpServer: serveCommand('files', context, options) }),
    backing: ({ workspaceDir, protectedPaths }, { dirs }) => {
      const folders = foldersOf(dirs, workspaceDir);
      const contained = new ContainedFolders(folders, [...protectedPaths, PROCESSES]);
      return inProcessServer('files', folders, FILE_TOOLS, contained);
    },
  };
}

/** The absolute paths of the folders of a config. */
function foldersOf(dirs: unknown, workspaceDir: string): string[] {
  return (dirs as string[]).map((dir) => path.resolve(workspaceDir, untilde(dir, homedir())));
}
