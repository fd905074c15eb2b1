import { createHash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.ts';
import { isTelling, limitOutput, sampleOutput, uniteOutputs, withoutNames } from '../code/index.ts';
import { messageOf } from '../errors.ts';
import { isJsonSchema, type JsonObject, type JsonSchema } from '../json.ts';
import { jsonFits } from '../json-size.ts';
import type { Log } from '../log.ts';
import type { Principal } from '../principal.ts';
import { learnToolOutput, readToolOutputs, sameSchema, type ToolOutputKey } from '../registry/usage/index.ts';
import type { Redactor } from '../secrets/index.ts';
import type { Db } from '../store/index.ts';
import { MAX_TEXT } from '../stored-texts.ts';

/** A tool as its server lists it. */
export interface ListedTool {
  server: string;
  tool: string;
  listed: JsonObject;
}

interface Known {
  definition: string;
  schema: JsonSchema;
  /** How many results in a row taught nothing. */
  unchanged: number;
}

interface Waiting {
  key: ToolOutputKey;
  schema: JsonSchema;
}

const FLUSH_MS = 200;
/** After this many results in a row that teach nothing, later ones are not looked at. */
const ENOUGH = 20;
/** How many tools this process knows the results of, and how many results may wait to be looked at. */
const REMEMBERED = 5000;
const MAX_PENDING = 50;
/** In bytes of JSON: of a stored schema, and of a definition that is compared. */
const MAX_SCHEMA = 2048;
const MAX_DEFINITION = 64 * 1024;

/**
 * Learns what tools that declare no output schema return, without making the call wait: types and names of properties,
 * never values. The database is written when something new is learned.
 */
export class ToolOutputObserver {
  readonly #db: Db;
  readonly #log: Log;
  readonly #known = new Map<string, Known>();
  readonly #waiting = new Map<string, Waiting>();
  readonly #definitions = new WeakMap<JsonObject, string | undefined>();
  #pending = 0;
  #looked: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> = Promise.resolve();

  constructor(db: Db, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Notes a result of a tool. `readValue` reads it in a later turn; undefined if nothing is to be learned from it. */
  note(who: Principal, tool: ListedTool, redactor: Redactor, readValue: () => unknown): void {
    if (declaredReturn(tool.listed) || tool.tool.length > MAX_TEXT.tool || this.#pending >= MAX_PENDING)
      return;
    const definition = this.#definitionOf(tool.listed);
    if (definition === undefined) return;
    const { org, project, user } = who;
    const key = { org, project, user, server: tool.server, tool: tool.tool, definition };
    const known = this.#known.get(idOf(key));
    if (known?.definition === definition && known.unchanged >= ENOUGH) return;
    this.#pending += 1;
    this.#looked = this.#looked.then(async () => {
      await new Promise((resolve) => setImmediate(resolve));
      this.#pending -= 1;
      try {
        this.#look(key, redactor, readValue);
      } catch (error) {
        // A server may answer anything. One answer that cannot be read must not end the learning.
        this.#log.debug(`what ${key.server}:${key.tool} returned is not read: ${messageOf(error)}`);
      }
    });
  }

  /** Returns the schemas of tools' results, declared or learned, as far as the principal may know them. */
  async returnsOf(who: Principal, tools: readonly ListedTool[]): Promise<(JsonSchema | undefined)[]> {
    const returns = tools.map(({ listed }) => declaredReturn(listed));
    const asked = tools.flatMap(({ server, tool, listed }, at) => {
      const definition = returns[at] ? undefined : this.#definitionOf(listed);
      return definition === undefined ? [] : [{ at, server, tool, definition }];
    });
    if (asked.length === 0) return returns;
    await this.flush();
    const seen = await readToolOutputs(this.#db, who, asked);
    for (const [index, { at }] of asked.entries()) returns[at] = seen[index];
    return returns;
  }

  /** Stores what was noted before this call. */
  async flush(): Promise<void> {
    await this.#looked;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#flushing = this.#flushing.then(() => this.#store());
    return this.#flushing;
  }

  #look(key: ToolOutputKey, redactor: Redactor, readValue: () => unknown): void {
    const value = readValue();
    if (value === undefined) return;
    const id = idOf(key);
    const before = this.#known.get(id);
    const known = before?.definition === key.definition ? before : undefined;
    const seen = withoutSecrets(limitOutput(sampleOutput(value), MAX_SCHEMA), redactor);
    const schema = limitOutput(known ? uniteOutputs(known.schema, seen) : seen, MAX_SCHEMA);
    const isNew = !known || !sameSchema(known.schema, schema);
    this.#remember(id, {
      definition: key.definition,
      schema,
      unchanged: isNew ? 0 : known.unchanged + 1,
    });
    if (!isNew) return;
    this.#waiting.set(id, { key, schema });
    this.#timer ??= setTimeout(() => void this.flush(), FLUSH_MS).unref();
  }

  async #store(): Promise<void> {
    for (const [id, { key, schema }] of [...this.#waiting]) {
      this.#waiting.delete(id);
      try {
        await learnToolOutput(this.#db, key, schema);
      } catch (error) {
        // The next results teach the same.
        this.#known.delete(id);
        this.#log.debug(`what ${key.server}:${key.tool} returns is not stored: ${messageOf(error)}`);
      }
    }
  }

  #remember(id: string, known: Known): void {
    this.#known.delete(id);
    this.#known.set(id, known);
    if (this.#known.size > REMEMBERED) this.#known.delete(this.#known.keys().next().value as string);
  }

  /** Hashes a tool's definition without its name, which a list may change; undefined if the definition is too long. */
  #definitionOf(listed: JsonObject): string | undefined {
    if (this.#definitions.has(listed)) return this.#definitions.get(listed);
    const { title, description, inputSchema, outputSchema } = listed;
    const definition = { title, description, inputSchema, outputSchema };
    const hash = jsonFits(definition, MAX_DEFINITION)
      ? createHash('sha256').update(canonicalJson(definition)).digest('base64url')
      : undefined;
    this.#definitions.set(listed, hash);
    return hash;
  }
}

function idOf({ org, project, user, server, tool }: ToolOutputKey): string {
  return JSON.stringify([org, project, user, server, tool]);
}

/** The schema that a tool declares for its structured content, if it says anything. */
function declaredReturn({ outputSchema }: JsonObject): JsonSchema | undefined {
  return isJsonSchema(outputSchema) && isTelling(outputSchema) ? outputSchema : undefined;
}

/** A schema with a name that holds a secret is kept without names. */
function withoutSecrets(schema: JsonSchema, redactor: Redactor): JsonSchema {
  const text = JSON.stringify(schema);
  return redactor.text(text) === text ? schema : withoutNames(schema);
}
