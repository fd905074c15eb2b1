import { findSecrets } from '../../secrets/index.ts';
import { classifyLiteral } from '../literals/classify-literal.ts';
import { keyedNodesOf } from '../literals/keyed-nodes.ts';
import { type Node, stringValue, valueChildren } from '../syntax/ast.ts';
import { scalarOf } from '../syntax/constants.ts';
import { parse } from '../syntax/parse.ts';

/**
 * Lists the literals of code that are secret by their key, by the parameter of a local function that they are passed to, or
 * by their shape. The error of a run may quote a secret that the run never passed on.
 */
export function secretLiterals(source: string): string[] {
  const program = parse(source);
  const found = new Set<string>();
  const note = (node: Node, key: string | undefined) => {
    const value = scalarOf(node);
    if (value === undefined || typeof value === 'boolean') return;
    const { kind, rule } = classifyLiteral({ value, key });
    if (kind === 'secret' && rule !== 'secret by shape') found.add(String(value));
    if (typeof value !== 'string') return;
    for (const { start, end } of findSecrets(value)) found.add(value.slice(start, end));
  };
  const parameters = parametersByFunction(program.body);
  for (const { node, key } of keyedNodesOf(program)) {
    if (node.type === 'Literal' || stringValue(node) !== undefined) note(node, key);
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') continue;
    const names = parameters.get(node.callee.name) ?? [];
    for (const [index, argument] of node.arguments.entries()) note(argument, names[index]);
  }
  return [...found];
}

/** Maps the name of each local function to the names of its parameters. */
function parametersByFunction(body: readonly Node[]): Map<string, (string | undefined)[]> {
  const found = new Map<string, (string | undefined)[]>();
  const pending: Node[] = [...body];
  for (let node = pending.pop(); node; node = pending.pop()) {
    if (node.type === 'FunctionDeclaration' && node.id) found.set(node.id.name, namesOf(node.params));
    if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) {
      const { init } = node;
      if (init.type === 'ArrowFunctionExpression' || init.type === 'FunctionExpression')
        found.set(node.id.name, namesOf(init.params));
    }
    pending.push(...valueChildren(node));
  }
  return found;
}

function namesOf(parameters: readonly Node[]): (string | undefined)[] {
  return parameters.map((parameter) => {
    const target = parameter.type === 'AssignmentPattern' ? parameter.left : parameter;
    return target.type === 'Identifier' ? target.name : undefined;
  });
}
