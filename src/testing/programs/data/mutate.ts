import type { Choices } from '../choices.ts';

/** Small changes that mostly make another program, each at one place. */
const CHANGES: readonly (readonly [RegExp, string])[] = [
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ <= /g, ' < '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \+ 1\b/g, ' + 2'],
  [/ - 1\b/g, ' - 2'],
  [/ \?\? (?=[0[])/g, ' || '],
  [/if \(!/g, 'if ('],
  [/\.slice\(0, /g, '.slice(1, '],
  [/startsWith/g, 'includes'],
  [/endsWith/g, 'includes'],
  [/\.includes\(/g, '.startsWith('],
  [/x\.id\b/g, 'x.name'],
  [/x\.total\b/g, 'x.id'],
  [/x\.state\b/g, 'x.name'],
  [/\bcontinue;/g, 'break;'],
  [/\bbreak;/g, 'continue;'],
  [/ \* 11\b/g, ' * 3'],
  [/ \* 11\b/g, ' + 2'],
  [/ \* 10\b/g, ' * 9'],
  [/86400000/g, '3600000'],
  [/throw new Error\([^;]*;/g, "return 'stopped';"],
  [/return '\w+';/g, "throw new Error('stopped');"],
  [/\.push\(/g, '.unshift('],
  [/\br0: /g, 'first: '],
  [/, limit: [^ }]+/g, ''],
  [/\.map\(\(x\) => x\.id\)/g, ''],
  [/\|\| 100\b/g, '|| 2'],
  [/'old/g, "'new"],
  [/\.old'/g, ".bak'"],
  [/moved /g, 'sent '],
  [/ days`/g, ' hours`'],
  [/\?\./g, '.'],
  [/Math\.min/g, 'Math.max'],
  [/\.shift\(\)/g, '.pop()'],
  [/\.pop\(\)/g, '.shift()'],
  [/'dir'/g, "'file'"],
  [/'\?try='/g, "'?n='"],
  [/\{ z: ([^,]+), a: ([^ }]+) \}/g, '{ a: $2, z: $1 }'],
  [/from: ([^,]+), to: ([^,]+), /g, 'from: $2, to: $1, '],
  [/\.getUTCDate\(\) - /g, '.getUTCDate() + '],
  [/Object\.keys/g, 'Object.values'],
  [/ default: /g, ' never: '],
];

/** The program with one small change; undefined if none fits. */
export function mutate(text: string, choices: Choices): string | undefined {
  if (choices.maybe(15)) return withoutGuard(text, choices);
  if (choices.maybe(10)) return swapped(text, choices);
  const fitting = CHANGES.flatMap(([pattern, change]) =>
    [...text.matchAll(pattern)].map((match) => ({ match, pattern, change })),
  );
  if (fitting.length === 0) return undefined;
  const { match, pattern, change } = choices.one(fitting);
  const changed = match[0].replace(new RegExp(pattern.source), change);
  return text.slice(0, match.index) + changed + text.slice(match.index + match[0].length);
}

function withoutGuard(text: string, choices: Choices): string | undefined {
  const lines = text.split('\n');
  const guards = lines.flatMap((line, at) => (/^\s*if \(.*;$/.test(line) ? [at] : []));
  if (guards.length === 0) return undefined;
  const left = choices.one(guards);
  return lines.filter((_, at) => at !== left).join('\n');
}

/** Two calls change places. */
function swapped(text: string, choices: Choices): string | undefined {
  const lines = text.split('\n');
  const pairs = lines.flatMap((line, at) =>
    /^await /.test(line) && /^(?:await|const)/.test(lines[at + 1] ?? '') ? [at] : [],
  );
  if (pairs.length === 0) return undefined;
  const at = choices.one(pairs);
  return [...lines.slice(0, at), lines[at + 1], lines[at], ...lines.slice(at + 2)].join('\n');
}
