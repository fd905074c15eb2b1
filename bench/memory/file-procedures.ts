import { FILES } from './npm-servers.ts';
import { call, read, type Template, write } from './npm-template.ts';

/** Procedures over the filesystem server. */
export function fileProcedures(root: string): Template[] {
  const text = (path: string | number) => FILES[String(path).slice(root.length + 1)] ?? '';
  const at = (name: string) => `${root}/${name}`;
  return [
    {
      id: 'count lines with a word',
      intents: [
        'Count the lines of {path} that contain {word}',
        'How many lines with {word} are in the log file {path}?',
      ],
      nearMiss: 'Delete the lines that contain {word} from {path}',
      data: [
        { path: at('logs/app.log'), word: 'ERROR' },
        { path: at('logs/web.log'), word: 'WARN' },
      ],
      calls: ({ path }) => [read(path as string)],
      code: 'const { content } = await mcp.filesystem.read_text_file({ path: $path });\nreturn content.split("\\n").filter((line) => line.includes($word)).length;',
    },
    {
      id: 'copy a file',
      intents: ['Copy the file {from} to {to}', 'Make a copy of {from} at {to}'],
      nearMiss: 'Rename the file {from} to {to}',
      data: [
        { from: at('notes/plan.txt'), to: at('notes/plan-copy.txt') },
        { from: at('notes/ideas.txt'), to: at('notes/ideas-copy.txt') },
      ],
      calls: ({ from, to }) => [read(from as string), write(to as string, text(from as string))],
      code: 'const { content } = await mcp.filesystem.read_text_file({ path: $from });\nreturn await mcp.filesystem.write_file({ path: $to, content });',
    },
    {
      id: 'append a line',
      intents: ['Append the line "{line}" to {path}', 'Add "{line}" at the end of the file {path}'],
      nearMiss: 'Remove the last line from {path}',
      data: [
        { path: at('notes/plan.txt'), line: 'Celebrate.' },
        { path: at('notes/ideas.txt'), line: 'Wake up early.' },
      ],
      calls: ({ path, line }) => [
        read(path as string),
        write(path as string, `${text(path as string)}\n${line}`),
      ],
      code: 'const path = $path;\nconst { content } = await mcp.filesystem.read_text_file({ path });\nreturn await mcp.filesystem.write_file({ path, content: content + "\\n" + $line });',
    },
    {
      id: 'sum a column',
      intents: [
        'Sum the column {column} of the CSV file {path}',
        'What is the total of {column} in the table {path}?',
      ],
      nearMiss: 'Sort the rows of the CSV file {path} by the column {column}',
      data: [
        { path: at('sales/may.csv'), column: 'amount' },
        { path: at('sales/june.csv'), column: 'amount' },
      ],
      calls: ({ path }) => [read(path as string)],
      code: 'const { content } = await mcp.filesystem.read_text_file({ path: $path });\nconst [head, ...rows] = content.trim().split("\\n").map((line) => line.split(","));\nconst at = head.indexOf($column);\nreturn rows.reduce((sum, row) => sum + Number(row[at]), 0);',
    },
    {
      id: 'start a project folder',
      intents: [
        'Create the project folder {folder} with a README that says "{text}"',
        'Start a new project in {folder}, its README being "{text}"',
      ],
      nearMiss: 'Create the folder {folder} and move the notes into it',
      data: [
        { folder: at('projects/rocket'), text: 'To the moon.' },
        { folder: at('projects/boat'), text: 'To the sea.' },
      ],
      calls: ({ folder, text: readme }) => [
        call('filesystem', 'create_directory', { path: folder as string }),
        write(`${folder}/README.md`, readme as string),
      ],
      code: 'const folder = $folder;\nawait mcp.filesystem.create_directory({ path: folder });\nreturn await mcp.filesystem.write_file({ path: folder + "/README.md", content: $text });',
    },
    {
      id: 'merge JSON files',
      intents: [
        'Merge the JSON files {base} and {over} into {to}',
        'Combine the settings of {base} with those of {over} and save them as {to}',
      ],
      nearMiss: 'Compare the JSON files {base} and {over} and list the keys that differ',
      data: [
        { base: at('config/base.json'), over: at('config/local.json'), to: at('config/merged.json') },
        { base: at('config/defaults.json'), over: at('config/user.json'), to: at('config/final.json') },
      ],
      calls: ({ base, over, to }) => [
        read(base as string),
        read(over as string),
        write(
          to as string,
          JSON.stringify({ ...JSON.parse(text(base as string)), ...JSON.parse(text(over as string)) }),
        ),
      ],
      code: 'const base = JSON.parse((await mcp.filesystem.read_text_file({ path: $base })).content);\nconst over = JSON.parse((await mcp.filesystem.read_text_file({ path: $over })).content);\nreturn await mcp.filesystem.write_file({ path: $to, content: JSON.stringify({ ...base, ...over }) });',
    },
    {
      id: 'list files of a kind',
      intents: [
        'List the names of the files in {folder} that end in {ending}',
        'Which {ending} files are in the directory {folder}?',
      ],
      nearMiss: 'Delete the {ending} files in the directory {folder}',
      data: [
        { folder: at('config'), ending: '.json' },
        { folder: at('logs'), ending: '.log' },
      ],
      calls: ({ folder }) => [call('filesystem', 'list_directory', { path: folder as string })],
      code: 'const { content } = await mcp.filesystem.list_directory({ path: $folder });\nreturn content.split("\\n").map((line) => line.replace("[FILE] ", "")).filter((name) => name.endsWith($ending));',
    },
  ];
}
