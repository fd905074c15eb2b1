// A gateway in this program: run code over the tools once, then call what was remembered.
import { startGateway } from 'pml-gateway';

const gateway = await startGateway({ home: '.pml-example', config: 'pml.json' });
try {
  const first = await gateway.execute({
    intent: 'count the things on a list',
    name: 'notes:count',
    code: `
      const note = await mcp.notes.read_note({ title: "shopping" });
      return note.split(",").length;`,
  });
  console.log('ran code:', first.result, '- remembered as', first.remembered?.name);

  await gateway.call('notes:write_note', { title: 'birds', body: 'wren, robin' });
  const again = await gateway.execute({
    intent: 'count the birds',
    capability: 'notes:count',
    args: { title: 'birds' },
  });
  console.log('called it:', again.result);

  const { parameters_schema } = await gateway.registry.lookup('notes:count');
  console.log('its parameters:', Object.keys(parameters_schema.properties ?? {}).join(', '));

  const [found] = await gateway.discover('how many things are on a list');
  console.log('found by intent:', found?.name);
} finally {
  await gateway.close();
}
