import type { Node } from '../syntax/ast.ts';
import { ExpressionReader, type Key, type NodeOf, put } from './expression-reader.ts';
import type { Built, Frame, Item, Value } from './state.ts';
import { Unreadable } from './unreadable.ts';

/** Where a value goes: to a variable, or to a member. */
type Target =
  | { readonly node: Extract<Node, { type: 'Identifier' }>; readonly frame: Frame }
  | { readonly object: Value; readonly key: Key };

/** Reads assignments, updates such as `x++`, and `delete`. */
export abstract class AssignmentReader extends ExpressionReader {
  readAssignment({ left, right, operator }: NodeOf<'AssignmentExpression'>, frame: Frame): Value {
    const target = this.#readTarget(left, frame);
    if (operator === '=') {
      const value = this.read(right, frame);
      this.noteValue(value);
      this.#assign(target, value);
      return value;
    }
    const before = this.#heldBy(target);
    const symbol = operator.slice(0, -1);
    const value = /^(?:&&|\|\||\?\?)$/.test(symbol)
      ? this.logical(symbol, before, () => this.read(right, frame))
      : this.binary(symbol, before, this.read(right, frame));
    this.noteValue(value);
    this.#assign(target, value);
    return value;
  }

  readUpdate({ argument, operator, prefix }: NodeOf<'UpdateExpression'>, frame: Frame): Value {
    const target = this.#readTarget(argument, frame);
    const before = this.#heldBy(target);
    const number = this.constantOf(before);
    if (typeof number?.value !== 'number') throw new Unreadable('a counter that only the run knows');
    const after = this.constant(operator === '++' ? number.value + 1 : number.value - 1);
    this.#assign(target, after);
    return prefix ? after : before;
  }

  /** Reads the target before the value, since a computed key may make calls or throw before the value's calls. */
  #readTarget(node: Node, frame: Frame): Target {
    if (node.type === 'Identifier') return { node, frame };
    if (node.type !== 'MemberExpression') throw new Unreadable('an assignment to a pattern');
    const object = this.read(node.object, frame);
    const key = this.readKey(node.property, node.computed, frame);
    if (key.name === undefined) this.noteValue(key.value);
    return { object, key };
  }

  #heldBy(target: Target): Value {
    return 'key' in target ? this.memberBy(target.object, target.key) : this.read(target.node, target.frame);
  }

  #assign(target: Target, value: Value): void {
    this.assertInTurn();
    if ('key' in target) {
      this.#setMember(target.object, target.key, value);
      return;
    }
    const binding = this.scopes.bindingOf.get(target.node);
    const cell = binding && target.frame.cellOf(binding);
    if (cell === undefined) throw new Unreadable('an assignment to a name of elsewhere');
    this.state.cells.set(cell, value);
  }

  #setMember(object: Value, key: Key, value: Value): void {
    if (object.kind !== 'built' || key.name === '__proto__')
      throw new Unreadable('a change of what the program did not build');
    const built = this.state.builtForChange(object.at);
    if (built.kind === 'array') this.#setItem(object.at, key.name, value);
    else if (built.kind === 'object' && key.name !== undefined) {
      const entries = put(new Map(built.entries), key.name, value);
      this.state.heap.set(object.at, { kind: 'object', entries });
    } else this.#addPair(object.at, built, key.value, value);
  }

  /** Sets an item of an array. Counts as a read, since in a loop the items depend on the rounds before. */
  #setItem(at: number, key: string | undefined, value: Value): void {
    const built = this.state.built(at);
    const before = built.kind === 'array' ? built.items : [];
    const index = Number(key ?? Number.NaN);
    const isWithin = Number.isInteger(index) && index >= 0 && index <= before.length;
    if (!isWithin || before.some(({ isSpread }) => isSpread)) throw new Unreadable('a change inside a list');
    const items = [...before];
    items[index] = { value, isSpread: false };
    this.state.heap.set(at, { kind: 'array', items });
  }

  /** Adds a key that only the run knows, or any key after such a one: the object becomes a dictionary. */
  #addPair(at: number, built: Exclude<Built, { kind: 'array' }>, key: Value, value: Value): void {
    const before: readonly Item[] =
      built.kind === 'dictionary'
        ? built.items
        : [...built.entries].map(([name, one]) => ({
            value: this.buildArray([this.constant(name), one]),
            isSpread: false,
          }));
    const items = [...before, { value: this.buildArray([key, value]), isSpread: false }];
    this.state.heap.set(at, { kind: 'dictionary', items });
  }

  readDelete(node: Node, frame: Frame): Value {
    if (node.type !== 'MemberExpression') throw new Unreadable('delete');
    this.assertInTurn();
    const object = this.read(node.object, frame);
    const key = this.key(node.property, node.computed, frame);
    const built = object.kind === 'built' ? this.state.built(object.at) : undefined;
    if (object.kind !== 'built' || built?.kind !== 'object' || key === undefined)
      throw new Unreadable('delete');
    const entries = new Map(built.entries);
    entries.delete(key);
    this.state.heap.set(object.at, { kind: 'object', entries });
    return this.constant(true);
  }
}
