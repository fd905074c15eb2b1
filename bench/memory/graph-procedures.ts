import { call, type Template, write } from './npm-template.ts';

/** Procedures over the memory server (a knowledge graph) and the everything server. */
export function graphProcedures(root: string): Template[] {
  const at = (name: string) => `${root}/${name}`;
  return [
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
