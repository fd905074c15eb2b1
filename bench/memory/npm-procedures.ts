import type { Json } from '../../src/json.ts';
import { FILES } from './npm-servers.ts';
import type { DirectCall, MemoryProcedure, Use } from './procedures.ts';

type Data = Readonly<Record<string, string | number>>;

interface Template {
  readonly id: string;
  /** Two ways to say it; `{x}` stands for data. */
  readonly intents: readonly [string, string];
  readonly nearMiss: string;
  readonly data: readonly [Data, Data];
  readonly calls: (data: Data) => readonly DirectCall[];
  /** `$x` stands for data, as a literal. */
  readonly code: string;
}

const call = (server: string, tool: string, args: Record<string, Json>): DirectCall => ({
  ...{ server, tool, args },
});
const read = (path: Json) => call('filesystem', 'read_text_file', { path });
const write = (path: Json, content: Json) => call('filesystem', 'write_file', { path, content });

/** Procedures over real servers. */
export function npmProcedures(root: string, most: number): MemoryProcedure[] {
  return templates(root)
    .slice(0, most)
    .map(({ id, intents, nearMiss, data, calls, code }): MemoryProcedure => {
      const use = (turn: 0 | 1): Use => ({
        intent: filled(intents[turn], data[turn], String),
        calls: calls(data[turn]),
        code: filled(code, data[turn], (value) => JSON.stringify(value)),
      });
      return {
        ...{ id, task: id, first: use(0), repeat: use(1) },
        otherValues: Object.entries(data[0]).map(([key, first]) => ({
          ...{ key, tool: '', first, repeat: data[1][key] ?? null },
        })),
        sameWords: filled(intents[0], data[1], String),
        nearMiss: filled(nearMiss, data[1], String),
      };
    });
}

function filled(text: string, data: Data, write: (value: string | number) => string): string {
  return text.replace(/\{(\w+)\}|\$(\w+)/g, (whole, braced, dollar) => {
    const value = data[braced ?? dollar];
    return value === undefined ? whole : write(value);
  });
}

function templates(root: string): Template[] {
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
    {
      id: 'remember an employee',
      intents: [
        'Remember the person {person}, who works at {company}',
        'Note in the knowledge graph that {person} is employed by {company}',
      ],
      nearMiss: 'Forget the person {person} and all relations to {company}',
      data: [
        { person: 'Linus', company: 'Acme' },
        { person: 'Barbara', company: 'Initech' },
      ],
      calls: ({ person, company }) => [
        call('memory', 'create_entities', {
          entities: [{ name: person as string, entityType: 'person', observations: [] }],
        }),
        call('memory', 'create_relations', {
          relations: [{ from: person as string, to: company as string, relationType: 'works at' }],
        }),
      ],
      code: 'const person = $person;\nawait mcp.memory.create_entities({ entities: [{ name: person, entityType: "person", observations: [] }] });\nreturn await mcp.memory.create_relations({ relations: [{ from: person, to: $company, relationType: "works at" }] });',
    },
    {
      id: 'add an observation',
      intents: [
        'Add the observation "{fact}" to {name} and show the node',
        'Write down about {name} that "{fact}", then open the entity',
      ],
      nearMiss: 'Delete the observation "{fact}" from {name}',
      data: [
        { name: 'Ada', fact: 'likes chess' },
        { name: 'Grace', fact: 'sails boats' },
      ],
      calls: ({ name, fact }) => [
        call('memory', 'add_observations', {
          observations: [{ entityName: name as string, contents: [fact as string] }],
        }),
        call('memory', 'open_nodes', { names: [name as string] }),
      ],
      code: 'const name = $name;\nawait mcp.memory.add_observations({ observations: [{ entityName: name, contents: [$fact] }] });\nreturn await mcp.memory.open_nodes({ names: [name] });',
    },
    {
      id: 'count entities of a type',
      intents: [
        'Count the entities of type {type} in the knowledge graph',
        'How many nodes of the graph are of the type {type}?',
      ],
      nearMiss: 'Count the relations of the knowledge graph that end at a {type}',
      data: [{ type: 'person' }, { type: 'company' }],
      calls: () => [call('memory', 'read_graph', {})],
      code: 'const { entities } = await mcp.memory.read_graph({});\nreturn entities.filter(({ entityType }) => entityType === $type).length;',
    },
    {
      id: 'add three numbers',
      intents: ['Add the numbers {a}, {b} and {c}', 'What is the sum of {a} and {b} and {c}?'],
      nearMiss: 'Multiply the numbers {a}, {b} and {c}',
      data: [
        { a: 3, b: 5, c: 11 },
        { a: 20, b: 4, c: 9 },
      ],
      calls: ({ a, b, c }) => [
        call('everything', 'get-sum', { a: a as number, b: b as number }),
        call('everything', 'get-sum', { a: Number(a) + Number(b), b: c as number }),
      ],
      code: 'const first = await mcp.everything["get-sum"]({ a: $a, b: $b });\nconst sum = Number(first.match(/is (-?\\d+)\\./)[1]);\nreturn await mcp.everything["get-sum"]({ a: sum, b: $c });',
    },
    {
      id: 'compare temperatures',
      intents: [
        'Compare the temperatures of {one} and {other}',
        'How much warmer is the weather in {one} than in {other}?',
      ],
      nearMiss: 'Compare the humidity of {one} and {other}',
      data: [
        { one: 'New York', other: 'Chicago' },
        { one: 'Los Angeles', other: 'New York' },
      ],
      calls: ({ one, other }) =>
        [one, other].map((location) =>
          call('everything', 'get-structured-content', { location: location as string }),
        ),
      code: 'const one = await mcp.everything["get-structured-content"]({ location: $one });\nconst other = await mcp.everything["get-structured-content"]({ location: $other });\nreturn one.temperature - other.temperature;',
    },
    {
      id: 'save what is known',
      intents: [
        'Search the knowledge graph for {query} and save what it finds to {path}',
        'Look up {query} in memory and write the result into the file {path}',
      ],
      nearMiss: 'Read the file {path} and add what it says about {query} to the knowledge graph',
      data: [
        { query: 'Ada', path: at('notes/ada.json') },
        { query: 'Grace', path: at('notes/grace.json') },
      ],
      calls: ({ query, path }) => [
        call('memory', 'search_nodes', { query: query as string }),
        write(path as string, '{"entities":[{"name":"…","entityType":"person","observations":["…"]}]}'),
      ],
      code: 'const found = await mcp.memory.search_nodes({ query: $query });\nreturn await mcp.filesystem.write_file({ path: $path, content: JSON.stringify(found.entities) });',
    },
  ];
}
