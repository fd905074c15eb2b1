import type { Node } from '../syntax/ast.ts';
import { CallReader } from './call-reader.ts';
import type { Frame, Value } from './state.ts';
import { Unreadable } from './unreadable.ts';

/** Binds names to values: declarations, parameters and destructuring. */
export abstract class PatternReader extends CallReader {
  bind(pattern: Node, value: Value, frame: Frame): void {
    this.spend();
    switch (pattern.type) {
      case 'Identifier': {
        const binding = this.scopes.bindingOf.get(pattern);
        if (!binding) throw new Unreadable('a name without a scope');
        const cell = this.next('cell');
        frame.declare(binding, cell);
        this.state.cells.set(cell, value);
        return;
      }
      case 'AssignmentPattern':
        this.bind(pattern.left, this.#withDefault(value, pattern.right, frame), frame);
        return;
      case 'ObjectPattern':
        this.#bindObject(pattern, value, frame);
        return;
      case 'ArrayPattern':
        this.#bindArray(pattern, value, frame);
        return;
      default:
        throw new Unreadable(pattern.type);
    }
  }

  #withDefault(value: Value, fallback: Node, frame: Frame): Value {
    const constant = this.constantOf(value);
    if (value.kind !== 'term' || (constant && constant.value !== undefined)) return value;
    if (constant) return this.read(fallback, frame);
    const test = this.terms.operation('binary ===', [value.term, this.terms.constant(undefined)]);
    const other = this.purely(() => this.read(fallback, frame));
    return this.operation('conditional', [test, other, value.term]);
  }

  #bindObject(pattern: Extract<Node, { type: 'ObjectPattern' }>, value: Value, frame: Frame): void {
    const taken: string[] = [];
    // `const {} = x` reads nothing, but throws if x is null.
    if (pattern.properties.length === 0 && value.kind !== 'built') throw new Unreadable('an empty pattern');
    for (const property of pattern.properties) {
      if (property.type === 'RestElement') {
        const built = value.kind === 'built' ? this.state.built(value.at) : undefined;
        if (built?.kind !== 'object') throw new Unreadable('the rest of what only the run knows');
        const rest = [...built.entries].filter(([key]) => !taken.includes(key));
        this.bind(property.argument, this.build({ kind: 'object', entries: new Map(rest) }), frame);
        continue;
      }
      const key = this.key(property.key, property.computed, frame);
      if (key === undefined) throw new Unreadable('a computed key');
      taken.push(key);
      const member = this.member(value, key);
      this.noteValue(member);
      this.bind(property.value, member, frame);
    }
  }

  #bindArray(pattern: Extract<Node, { type: 'ArrayPattern' }>, value: Value, frame: Frame): void {
    const items = this.itemsOf(value);
    pattern.elements.forEach((element: Node | null, at: number) => {
      if (!element) return;
      if (element.type === 'RestElement') {
        if (!items) throw new Unreadable('the rest of what only the run knows');
        this.bind(element.argument, this.buildArray(items.slice(at)), frame);
        return;
      }
      const item = items
        ? (items[at] ?? this.constant(undefined))
        : this.operation('item', [this.term(value), this.terms.constant(at)]);
      this.noteValue(item);
      this.bind(element, item, frame);
    });
  }
}
