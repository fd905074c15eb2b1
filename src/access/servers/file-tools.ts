import { z } from 'zod';
import type { ContainedFolders } from './contained-folders.ts';
import {
  describeFile,
  editText,
  listFolder,
  MAX_FILE_BYTES,
  makeFolder,
  moveFile,
  readText,
  writeText,
} from './file-operations.ts';
import { searchFiles } from './search-files.ts';
import { defineServerTool, type ServerTool } from './tool-server.ts';

const path = z.string().min(1).max(4096).describe('Absolute, or relative to the first folder.');
const lines = z.int().min(1).max(100_000);
const readInput = z.strictObject({
  path,
  head: lines.optional().describe('Only this many lines from the start.'),
  tail: lines.optional().describe('Only this many lines from the end.'),
});
const text = z.string().max(MAX_FILE_BYTES);

/** The tools of an agent's files. They have the names that MCP's file servers use. */
export const FILE_TOOLS: readonly ServerTool<ContainedFolders>[] = [
  defineServerTool({
    key: 'read_text_file',
    name: 'Read a text file',
    description: 'Reads a text file, whole or its first or last lines.',
    input: readInput,
    does: 'reads',
    run: (input, folders) => readText(folders, input.path, input),
  }),
  defineServerTool({
    key: 'read_file',
    name: 'Read a file',
    description: 'The same as read_text_file.',
    input: readInput,
    does: 'reads',
    run: (input, folders) => readText(folders, input.path, input),
  }),
  defineServerTool({
    key: 'read_multiple_files',
    name: 'Read several files',
    description: 'Reads several text files. One that cannot be read does not fail the others.',
    input: z.strictObject({ paths: z.array(path).min(1).max(20) }),
    does: 'reads',
    run: async ({ paths }, folders) => ({
      files: await Promise.all(paths.map((file) => readOne(folders, file))),
    }),
  }),
  defineServerTool({
    key: 'write_file',
    name: 'Write a file',
    description: 'Writes a text file; replaces one that is there.',
    input: z.strictObject({ path, content: text }),
    does: 'changes',
    run: async (input, folders) => {
      await writeText(folders, input.path, input.content);
      return `Wrote ${input.path}`;
    },
  }),
  defineServerTool({
    key: 'edit_file',
    name: 'Edit a file',
    description: 'Replaces texts in a file. Each oldText must occur exactly once; else nothing is changed.',
    input: z.strictObject({
      path,
      edits: z
        .array(z.strictObject({ oldText: text.min(1), newText: text }))
        .min(1)
        .max(100),
    }),
    does: 'changes',
    run: async (input, folders) => {
      await editText(folders, input.path, input.edits);
      return `Edited ${input.path}`;
    },
  }),
  defineServerTool({
    key: 'create_directory',
    name: 'Make a folder',
    description: 'Makes a folder, and those above it that are missing.',
    input: z.strictObject({ path }),
    does: 'adds',
    run: async (input, folders) => {
      await makeFolder(folders, input.path);
      return `Made ${input.path}`;
    },
  }),
  defineServerTool({
    key: 'list_directory',
    name: 'List a folder',
    description: 'Lists the files and folders in a folder.',
    input: z.strictObject({ path }),
    does: 'reads',
    run: (input, folders) => listFolder(folders, input.path),
  }),
  defineServerTool({
    key: 'move_file',
    name: 'Move or rename',
    description: 'Moves or renames a file or folder. Overwrites nothing.',
    input: z.strictObject({ source: path, destination: path }),
    does: 'changes',
    run: async ({ source, destination }, folders) => {
      await moveFile(folders, source, destination);
      return `Moved ${source} to ${destination}`;
    },
  }),
  defineServerTool({
    key: 'search_files',
    name: 'Search files by name',
    description: 'Finds files and folders below a folder by a part of their name, or by a pattern with *.',
    input: z.strictObject({ path, pattern: z.string().min(1).max(200) }),
    does: 'reads',
    run: (input, folders) => searchFiles(folders, input.path, input.pattern),
  }),
  defineServerTool({
    key: 'get_file_info',
    name: 'Describe a file',
    description: 'Tells the type, size, times and permissions of a file or folder.',
    input: z.strictObject({ path }),
    does: 'reads',
    run: (input, folders) => describeFile(folders, input.path),
  }),
  defineServerTool({
    key: 'list_allowed_directories',
    name: 'List the folders that can be reached',
    description: 'Lists the folders that can be reached. Nothing outside of them can.',
    input: z.strictObject({}),
    does: 'reads',
    run: async (_, folders) => ({ directories: folders.folders }),
  }),
];

async function readOne(folders: ContainedFolders, file: string): Promise<object> {
  try {
    return { path: file, text: await readText(folders, file, {}) };
  } catch (error) {
    return { path: file, error: (error as Error).message };
  }
}
