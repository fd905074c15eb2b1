import { fitOutput } from '../../code/index.ts';
import { isJsonObject, type JsonObject, type JsonSchema } from '../../json.ts';

/** How many tools one session is told output schemas for. */
const MAX_TOLD = 2000;
/** How many schemas of one tool the clients of a shared session may hold. */
const MAX_SCHEMAS = 4;

/**
 * Remembers which output schemas a session's client was told, by the name of the tool. A client refuses an answer that does not
 * fit the schema it knows, even if it has not yet listed the tools again, so answers are fitted to what it was told.
 */
export class DeclaredOutputs {
  readonly #isOneClient: boolean;
  readonly #told = new Map<string, readonly JsonSchema[]>();

  constructor({ isOneClient }: { isOneClient: boolean }) {
    this.#isOneClient = isOneClient;
  }

  /** Returns the schema to list a tool with: none if the session could not remember it. */
  tell(name: string, schema: JsonSchema | null): JsonSchema | undefined {
    if (this.#isOneClient) {
      this.#told.delete(name);
      if (!schema || this.#told.size >= MAX_TOLD) return undefined;
      this.#told.set(name, [schema]);
      return schema;
    }
    // Clients that share a session may have listed the tools at any time.
    const before = this.#told.get(name) ?? [];
    const isKnown = schema && before.some((one) => JSON.stringify(one) === JSON.stringify(schema));
    if (isKnown) return schema;
    const isFull = before.length >= MAX_SCHEMAS || (before.length === 0 && this.#told.size >= MAX_TOLD);
    if (!schema || isFull) return undefined;
    this.#told.set(name, [...before, schema]);
    return schema;
  }

  /** True if clients may hold a schema that this session does not remember telling them. */
  mayHaveForgotten(name: string): boolean {
    return !this.#isOneClient && !this.#told.has(name);
  }

  /**
   * Returns the structured content for a result, fitted to all that clients were told; undefined if none is needed: the result
   * is no object and nobody was told a schema.
   */
  fit(name: string, value: unknown, remembered?: JsonSchema): JsonObject | undefined {
    const told = this.#told.get(name) ?? (remembered ? [remembered] : []);
    if (told.length === 0) return isJsonObject(value) ? value : undefined;
    return told.reduce<JsonObject>(
      (fitted, schema) => fitOutput(schema, fitted),
      fitOutput(told[0] as JsonSchema, value),
    );
  }
}
