import assert from 'node:assert/strict';
import { test } from 'node:test';
import { argumentUsesOf } from '../references/argument-uses.ts';
import { parse } from '../syntax/parse.ts';
import { describeUses } from './describe-uses.ts';

function described(code: string): string | undefined {
  const program = parse(code);
  return describeUses(program, argumentUsesOf(program).uses);
}

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: programs in strings
const TABLE: readonly [code: string, description: string | undefined][] = [
  ['return all.filter((r) => r.open >= args.min)', 'minimum of open'],
  ['return all.filter((r) => args.max > r.size)', 'maximum of size'],
  ['const min = args.min; return all.filter((r) => r.open > min)', 'minimum of open'],
  ['return all.filter((r) => r.status === args.status)', 'compared with status'],
  ['if (balance < args.amount) throw new Error("too little")', 'minimum of balance'],
  ['return order.total * args.rate', 'multiplied by total'],
  ['return order.total / args.parts', 'divides total'],
  ['return file.startsWith(args.folder)', 'start of file'],
  ['return args.states.includes(issue.state)', 'what state may be'],
  ['return rows.slice(0, args.n)', 'number of rows that are taken'],
  ['for (const city of args.cities) f(city)', 'list of which each is city'],
  ['for (const city of structuredClone(args.cities)) f(city)', 'list of which each is city'],
  ['return mcp.x.post({ title: `Report of ${args.city}` })', 'part of title'],
  ['const title = `Report of ${args.city}`; return title', 'part of title'],
  ['return prices[args.fruit]', 'key of prices'],
  ['if (!args.dryRun) purge()', 'switches a step of the code on or off'],
  ['const W = args.w; // units in stock\nreturn r.open > W', 'units in stock'],
  ['const config = { min: args.min, /* units in stock */ max: 3 }', 'units in stock'],
  ['const W = args.w; // @ts-expect-error\nreturn r.open > W', 'minimum of open'],
  ['const W = args.w;\n// the other step\nreturn r.open > W', 'minimum of open'],
  ['return r.open > args.a && r.size < args.a && r.n === args.a', 'minimum of open, maximum of size'],
  ['return args.x', undefined],
  ['const a = args.a, b = a, c = b; return c', undefined],
];
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: programs in strings

for (const [code, description] of TABLE)
  test(`${code.split('\n')[0]}: ${description ?? 'nothing to say'}`, () => {
    assert.equal(described(code), description);
  });
