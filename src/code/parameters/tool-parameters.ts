import type { Budget } from '../../budget.ts';
import type { JsonSchema } from '../../json.ts';
import { referenceNodesOf } from '../references/find-references.ts';
import { pathOf } from '../references/global-paths.ts';
import { excerptSchema } from '../schema/excerpt-schema.ts';
import { intersectSchemas } from '../schema/intersect-schemas.ts';
import { type Step, schemaAt } from '../schema/tool-schema.ts';
import type { Program } from '../syntax/ast.ts';
import { scopesOf } from '../syntax/scope-analysis.ts';
import { type CallValue, visitCallValues } from './call-values.ts';
import { type Callees, toolNameOf } from './callees.ts';
import { ordinalWord } from './ordinals.ts';

/** In characters. */
const MAX_PLACE = 100;
const MAX_PLACES = 3;

/** Collects, for each argument, the tool properties that it is passed to, with their schemas. */
export function schemasFromTools(
  program: Program,
  callees: Callees,
  budget: Budget,
): ReadonlyMap<string, JsonSchema> {
  const passed = new Map<string, PassedArgument>();
  const excerpts = new Map<string, JsonSchema>();
  const scopes = scopesOf(program);
  const places = new PlaceTexts(program, callees);
  for (const { call, name } of referenceNodesOf(program)) {
    if (!call) continue;
    const schema = name === undefined ? undefined : callees.toolSchema(name);
    const callText = places.next(name);
    const value = ({ node, key, path }: CallValue): void => {
      // `args.x ?? 5` passes on `args.x`.
      const source = node.type === 'LogicalExpression' ? node.left : node;
      const [arg, ...rest] = pathOf(source, 'args', scopes)?.keys ?? [];
      if (arg === undefined || rest.length > 0 || !budget.step()) return;
      const argument = passed.get(arg) ?? new PassedArgument();
      passed.set(arg, argument);
      argument.addPlace(places.text(path, key, callText));
      const property = schema && path && schemaAt(schema, path);
      if (!schema || !property) return;
      const place = JSON.stringify([name, path]);
      const excerpt = excerpts.get(place) ?? excerptSchema(schema, property, budget.part());
      excerpts.set(place, excerpt);
      argument.addSchema(excerpt, budget);
    };
    visitCallValues(call, schema, { value, array: () => true });
  }
  return new Map([...passed].map(([name, argument]) => [name, argument.schema()]));
}

/** The evidence of the calls about one argument. */
class PassedArgument {
  readonly #places: string[] = [];
  readonly #seen = new Set<JsonSchema>();
  #schema: JsonSchema | undefined;
  #further = 0;

  addPlace(place: string): void {
    if (this.#places.length < MAX_PLACES) this.#places.push(place);
    else this.#further += 1;
  }

  addSchema(schema: JsonSchema, budget: Budget): void {
    if (this.#seen.has(schema)) return;
    this.#seen.add(schema);
    this.#schema = this.#schema ? intersectSchemas(this.#schema, schema, budget) : schema;
  }

  schema(): JsonSchema {
    const { description, ...schema } = this.#schema ?? {};
    const more = this.#further > 0 ? `, and ${this.#further} more` : '';
    const text = description ? `: ${description}` : '';
    return { ...schema, description: `${this.#places.join(', ')}${more}${text}` };
  }
}

/** Writes where an argument goes: `folder of files:cd`, `folder of files:cd (second call)`. No two values have one text. */
class PlaceTexts {
  readonly #callees: Callees;
  readonly #calls = new Map<string, { count: number; readonly all: number }>();
  readonly #written = new Map<string, number>();

  constructor(program: Program, callees: Callees) {
    this.#callees = callees;
    for (const { call, name } of referenceNodesOf(program)) {
      const tool = this.#nameOf(name);
      if (call) this.#calls.set(tool, { count: 0, all: (this.#calls.get(tool)?.all ?? 0) + 1 });
    }
  }

  /** Names the next call in source order. */
  next(spelling: string | undefined): string {
    const tool = this.#nameOf(spelling);
    const known = this.#calls.get(tool);
    if (!known || known.all === 1) return tool;
    known.count += 1;
    return `${tool} (${ordinalWord(known.count).replace('_', '-')} call)`;
  }

  text(path: readonly Step[] | undefined, key: string | undefined, call: string): string {
    const steps = path?.map((step) => (step === 'item' ? '[]' : `.${step.property}`)).join('');
    const text = `${(steps ? steps.slice(1) : (key ?? 'value')).slice(0, MAX_PLACE)} of ${call}`;
    const count = (this.#written.get(text) ?? 0) + 1;
    this.#written.set(text, count);
    return count === 1 ? text : `${text}, ${ordinalWord(count).replace('_', '-')} value`;
  }

  #nameOf(spelling: string | undefined): string {
    return (
      toolNameOf(this.#callees, spelling)?.slice(0, MAX_PLACE) ??
      (spelling === undefined ? 'a call' : 'a capability that it calls')
    );
  }
}
