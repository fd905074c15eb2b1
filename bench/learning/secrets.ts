import type { Json, JsonSchema } from '../../src/json.ts';
import { Choices } from '../../src/testing/programs/choices.ts';
import { type Learned, Learner } from '../../src/testing/programs/learner.ts';
import type { ArgumentValue, Procedure, Style } from '../../src/testing/programs/styles/procedure.ts';
import { writeProgram } from '../../src/testing/programs/styles/write-program.ts';
import type { Bed } from './bed.ts';
import { type Data, type Item, procedureOf, type Tool } from './data.ts';
import { answersOf, runRecorded } from './measure.ts';
import { singleStyles, variedStyle } from './styles.ts';

/** A tool that takes every kind of secret. */
const VAULT = 'vault';
const SECRETS: Record<string, (choices: Choices) => Json> = {
  password: (choices) => `Hunter2-${letters(choices, 9)}`,
  pin: (choices) => 1000 + choices.below(9000),
  otp: (choices) => String(100_000 + choices.below(900_000)),
  cvv: (choices) => 101 + choices.below(899),
  card_number: (choices) => luhn(`4${digits(choices, 14)}`),
  token: (choices) => `tk_${letters(choices, 5)}`,
  api_key: (choices) => `key-${letters(choices, 20)}`,
  verification_code: (choices) => digits(choices, 5),
};

export interface SecretRow {
  readonly kind: string;
  readonly programs: number;
  /** The stored capability holds the secret. */
  readonly leaked: number;
  /** The code was not kept because the secret could not be taken out. */
  readonly refused: number;
}

/** Procedures that pass a secret, each in one style. */
function* secretProcedures(
  data: Data,
  kind: string,
  variedCount: number,
): Generator<{ item: Item; procedure: Procedure; style: Style; choices: Choices; secret: Json }> {
  const drawn = Array.from({ length: variedCount }, (_, at) => variedStyle(Choices.seeded(`${kind} ${at}`)));
  for (const [at, style] of [...singleStyles().map((one) => one.style), ...drawn].entries()) {
    const item = data.items[(at * 7) % data.items.length] as Item;
    const choices = Choices.seeded(`secret ${kind} ${at}`);
    const text = JSON.stringify(item);
    let secret = SECRETS[kind]?.(choices) as Json;
    while (text.includes(String(secret))) secret = SECRETS[kind]?.(choices) as Json;
    yield {
      item,
      procedure: withSecret(procedureOf(item, 'link'), kind, secret, choices),
      style,
      choices,
      secret,
    };
  }
}

/** Learns programs that pass a secret in every style, and looks for it in what is kept. */
export async function measureSecrets(
  data: Data,
  variedCount: number,
): Promise<{ rows: SecretRow[]; leaks: string[] }> {
  const tools = new Map<string, { inputSchema: JsonSchema }>(data.tools);
  tools.set(`${VAULT}:login`, loginTool());
  const learner = new Learner(tools);
  const leaks: string[] = [];
  const rows: SecretRow[] = [];
  for (const kind of Object.keys(SECRETS)) {
    let [programs, leaked, refused] = [0, 0, 0];
    for (const { item, procedure, style, choices, secret } of secretProcedures(data, kind, variedCount)) {
      const { source } = writeProgram(procedure, style, choices);
      const learned = learner.learn(source, await runRecorded(source, procedure, item));
      programs += 1;
      if (!learned) refused += 1;
      else if (holds(JSON.stringify(storedOf(learned)), secret as string | number)) {
        leaked += 1;
        leaks.push(`${kind} ${secret}\n${source}`);
      }
    }
    rows.push({ kind, programs, leaked, refused });
  }
  return { rows, leaks };
}

/** Secrets that were passed through PML, and those that a file of its home holds afterwards. */
export interface HomeRow {
  readonly tried: number;
  readonly found: string[];
}

/** Passes secrets in many styles, stops PML, and looks for them in every file of the home. */
export async function trySecrets(bed: Bed, data: Data, count: number): Promise<HomeRow> {
  const secrets: string[] = [];
  await bed.inProject('secrets', async (project) => {
    for (const kind of ['password', 'card_number', 'api_key']) {
      const tries = [...secretProcedures(data, kind, 60)];
      const stride = Math.max(1, Math.floor((tries.length * 3) / count));
      for (const { item, procedure, style, choices, secret } of tries.filter((_, at) => at % stride === 0)) {
        const { source } = writeProgram(procedure, style, choices);
        await project.learn(source, 'Log in and work.', answersOf(procedure, item));
        secrets.push(String(secret));
      }
    }
  });
  const texts = await bed.stoppedHome();
  const found = secrets.filter((secret) => texts.some((text) => holds(text, secret)));
  return { tried: secrets.length, found };
}

/** Two calls of the same tool, so that loops pass secrets too. */
function withSecret(procedure: Procedure, kind: string, secret: Json, choices: Choices): Procedure {
  const login = (user: string, value: Json) => ({
    server: VAULT,
    tool: 'login',
    args: { user: { literal: user }, [kind]: { literal: value } },
    result: { session: 'open' },
  });
  const logins = [login('ana', secret), login('ben', SECRETS[kind]?.(choices) as Json)].slice(
    0,
    1 + choices.below(2),
  );
  const moved = procedure.calls.map((call) => ({ ...call, args: shiftLinks(call.args, logins.length) }));
  return { ...procedure, calls: [...logins, ...moved] };
}

function shiftLinks(
  args: Readonly<Record<string, ArgumentValue>>,
  by: number,
): Record<string, ArgumentValue> {
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) => [
      key,
      'from' in value ? { ...value, from: value.from + by } : value,
    ]),
  );
}

/** The tool that the secrets are passed to. */
export function loginTool(): Tool {
  return { server: VAULT, name: 'login', description: 'Log in.', inputSchema: loginSchema() };
}

function loginSchema(): JsonSchema {
  const kinds = Object.entries(SECRETS).map(([kind, make]) => [kind, { type: typeof make(Choices.of([])) }]);
  return {
    type: 'object',
    properties: { user: { type: 'string' }, ...Object.fromEntries(kinds) },
    required: ['user'],
  };
}

/** True if the text holds the value, or a half of a long value. */
function holds(text: string, value: string | number): boolean {
  const whole = String(value);
  if (whole.length < 8) return new RegExp(`(?<![\\w.])${whole}(?![\\w.])`).test(text);
  const half = Math.ceil(whole.length / 2);
  for (let at = 0; at + half <= whole.length; at++)
    if (text.includes(whole.slice(at, at + half))) return true;
  return false;
}

function letters(choices: Choices, count: number): string {
  return Array.from({ length: count }, () => choices.one([...'abcdefghkmnpqrstuvwxyz23456789'])).join('');
}

function digits(choices: Choices, count: number): string {
  return Array.from({ length: count }, () => 1 + choices.below(9)).join('');
}

/** Adds the check digit of a card number. */
function luhn(number: string): string {
  const sum = [...number].reverse().reduce((total, digit, at) => {
    const weighed = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (weighed > 9 ? weighed - 9 : weighed);
  }, 0);
  return `${number}${(10 - (sum % 10)) % 10}`;
}

/** Returns everything that the store gets. The texts of secrets only tell the redactor what to hide. */
function storedOf({ secretTexts: _texts, hiddenValues: _values, ...stored }: Learned): object {
  return stored;
}
