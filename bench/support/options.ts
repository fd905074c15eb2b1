import { type ParseArgsConfig, parseArgs } from 'node:util';

const COMMON = {
  help: { type: 'boolean', short: 'h', default: false },
  smoke: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Parses the options of a bench. Every bench has `--help`, `--smoke`, a run of seconds that shows that the bench works, and
 * `--json`, which leaves the table out.
 */
export function benchOptions<T extends Options>(help: string, options: T) {
  const { values } = parseArgs({ options: { ...options, ...COMMON } });
  if ((values as { help?: boolean }).help) {
    process.stdout.write(help);
    process.exit();
  }
  return values;
}
