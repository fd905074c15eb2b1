import { recordChanged } from '../format.ts';
import { commaSeparated } from '../option-values.ts';
import { toolCommand } from '../tool-command.ts';

export const command = toolCommand({
  tool: 'cap_rename',
  usage: 'rename NAME [NEW_NAME] [options]',
  about: `Gives a capability another name, description, tags, visibility or routing. The old name keeps working.

  pml rename unnamed_a7f3b2c1 fs:read_json --tags json,config --visibility project

  --undo          give it back the name it had before its last rename
  --description TEXT
  --tags A,B      all of its tags; '' for none
  --visibility V  private, project, org or public
  --routing R     local or cloud`,
  options: {
    undo: { type: 'boolean' },
    description: { type: 'string' },
    tags: { type: 'string' },
    visibility: { type: 'string' },
    routing: { type: 'string' },
  },
  positionals: [1, 2],
  input: ({ values: { undo, description, tags, visibility, routing }, positionals: [name, new_name] }) => ({
    ...{ name, undo, new_name, description, visibility, routing },
    tags: commaSeparated(tags),
  }),
  format: (answer) => recordChanged(answer, 'changed'),
});
