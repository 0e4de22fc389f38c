import { childrenOf } from './children-of.ts';
import { ACCUMULATOR, type Call, type Comprehension, type Expression } from './expression.ts';
import { SyntaxIssue } from './issues.ts';
import type { CelValue } from './value.ts';

/**
 * Expands a macro such as `all` to loops and tests. The steps are the same as in Kubernetes' CEL library, because each
 * step counts towards the cost of the expression.
 */
export function expandMacro(call: Call): Expression {
  const expand = MACROS.get(`${call.target === undefined ? '' : '.'}${call.name}/${call.args.length}`);
  return expand === undefined ? call : expand(call);
}

/** True for a call of `cel.bind`, which is a macro only in some environments. */
export function isBindingCall({ name, target, args }: Call): boolean {
  return name === 'bind' && args.length === 3 && target?.kind === 'identifier' && target.name === 'cel';
}

/** Expands `cel.bind(name, value, expression)`: the name stands for the value in the expression. */
export function expandBinding(call: Call): Expression {
  const variable = arg(call, 0);
  if (variable.kind !== 'identifier') {
    throw new SyntaxIssue(variable.at, 'cel.bind() variable names must be simple identifiers');
  }
  return bind(call.at, variable.name, arg(call, 1), arg(call, 2));
}

type Expand = (call: Call) => Expression;

const MACROS: ReadonlyMap<string, Expand> = new Map<string, Expand>([
  ['has/1', has],
  ...bothForms('all', (call, make, [predicate]) =>
    make({
      initial: literal(call.at, true),
      condition: apply(call.at, '@not_strictly_false', accumulator(call.at)),
      step: apply(call.at, '_&&_', accumulator(call.at), predicate),
    }),
  ),
  ...bothForms('exists', (call, make, [predicate]) =>
    make({
      initial: literal(call.at, false),
      condition: apply(call.at, '@not_strictly_false', apply(call.at, '!_', accumulator(call.at))),
      step: apply(call.at, '_||_', accumulator(call.at), predicate),
    }),
  ),
  ...bothForms('exists_one', existsOne),
  ...bothForms('existsOne', existsOne).slice(1),
  ['.map/2', (call) => oneVariable(call, (make) => buildList(call, make, undefined, arg(call, 1)))],
  ['.map/3', (call) => oneVariable(call, (make) => buildList(call, make, arg(call, 1), arg(call, 2)))],
  ['.filter/2', (call) => oneVariable(call, (make) => buildList(call, make, arg(call, 1), arg(call, 0)))],
  ['.transformList/3', (call) => twoVariables(call, (make) => buildList(call, make, undefined, arg(call, 2)))],
  ['.transformList/4', (call) => twoVariables(call, (make) => buildList(call, make, arg(call, 2), arg(call, 3)))],
  ['.transformMap/3', (call) => buildMap(call, undefined, [arg(call, 0), arg(call, 2)])],
  ['.transformMap/4', (call) => buildMap(call, arg(call, 2), [arg(call, 0), arg(call, 3)])],
  ['.transformMapEntry/3', (call) => buildMap(call, undefined, [arg(call, 2)])],
  ['.transformMapEntry/4', (call) => buildMap(call, arg(call, 2), [arg(call, 3)])],
  ['.sortBy/2', sortBy],
  ['.optMap/2', (call) => optionalMap(call, (bound) => apply(call.at, 'optional.of', bound))],
  ['.optFlatMap/2', (call) => optionalMap(call, (bound) => bound)],
]);

type Loop = Pick<Comprehension, 'initial' | 'condition' | 'step'> & { readonly result?: Expression };
type Make = (loop: Loop) => Expression;

function has(call: Call): Expression {
  const of = arg(call, 0);
  if (of.kind !== 'select' || of.test) throw new SyntaxIssue(of.at, 'invalid argument to has() macro');
  return { ...of, at: call.at, test: true };
}

function existsOne(call: Call, make: Make, [predicate]: readonly [Expression]): Expression {
  const one = literal(call.at, 1n);
  const counted = accumulator(call.at);
  return make({
    initial: literal(call.at, 0n),
    condition: literal(call.at, true),
    step: apply(call.at, '_?_:_', predicate, apply(call.at, '_+_', counted, one), accumulator(call.at)),
    result: apply(call.at, '_==_', accumulator(call.at), one),
  });
}

function buildList(call: Call, make: Make, filter: Expression | undefined, item: Expression): Expression {
  const one: Expression = { kind: 'list', at: call.at, elements: [item] };
  const grown = apply(call.at, '_+_', accumulator(call.at), one);
  return make({
    initial: { kind: 'list', at: call.at, elements: [] },
    condition: literal(call.at, true),
    step: filter === undefined ? grown : apply(call.at, '_?_:_', filter, grown, accumulator(call.at)),
  });
}

function buildMap(call: Call, filter: Expression | undefined, inserted: readonly Expression[]): Expression {
  const grown = apply(call.at, 'cel.@mapInsert', accumulator(call.at), ...inserted);
  return twoVariables(call, (make) =>
    make({
      initial: { kind: 'map', at: call.at, entries: [] },
      condition: literal(call.at, true),
      step: filter === undefined ? grown : apply(call.at, '_?_:_', filter, grown, accumulator(call.at)),
    }),
  );
}

function sortBy(call: Call): Expression {
  const input = '@sortByInput';
  const list: Expression = { kind: 'identifier', at: call.at, name: input };
  const keys = expandMacro({ kind: 'call', at: call.at, name: 'map', target: list, args: call.args });
  const sorted: Expression = { kind: 'call', at: call.at, name: '@sortByAssociatedKeys', target: list, args: [keys] };
  return bind(call.at, input, target(call), sorted);
}

function optionalMap(call: Call, wrap: (bound: Expression) => Expression): Expression {
  const variable = arg(call, 0);
  if (variable.kind !== 'identifier') {
    throw new SyntaxIssue(variable.at, `${call.name}() variable name must be a simple identifier`);
  }
  const of = target(call);
  // The expansion contains the target twice, so each macro call in a chain doubles the size of the expression. Limit
  // the size, because a long chain would be too large to evaluate.
  if (nodesOf(of) > MAX_NODES)
    throw new SyntaxIssue(call.at, `${call.name}() is called on an expression that is too large`);
  const method = (name: string): Expression => ({ kind: 'call', at: call.at, name, target: of, args: [] });
  const bound = bind(call.at, variable.name, method('value'), arg(call, 1));
  return apply(call.at, '_?_:_', method('hasValue'), wrap(bound), apply(call.at, 'optional.none'));
}

const MAX_NODES = 5000;
const counted = new WeakMap<Expression, number>();

function nodesOf(expression: Expression): number {
  let count = counted.get(expression);
  if (count === undefined) {
    count = childrenOf(expression).reduce((sum, child) => sum + nodesOf(child), 1);
    counted.set(expression, count);
  }
  return count;
}

function bind(at: number, name: string, value: Expression, result: Expression): Expression {
  return {
    kind: 'comprehension',
    at,
    range: { kind: 'list', at, elements: [] },
    variable: '#unused',
    accumulator: name,
    initial: value,
    condition: literal(at, false),
    step: { kind: 'identifier', at, name },
    result,
  };
}

/** Returns two variants of a macro: with one loop variable (`all(x, …)`) and with two (`all(i, x, …)`). */
function bothForms(
  name: string,
  write: (call: Call, make: Make, rest: readonly [Expression]) => Expression,
): [string, Expand][] {
  return [
    [`.${name}/2`, (call) => oneVariable(call, (make) => write(call, make, [arg(call, 1)]))],
    [`.${name}/3`, (call) => twoVariables(call, (make) => write(call, make, [arg(call, 2)]))],
  ];
}

function oneVariable(call: Call, write: (make: Make) => Expression): Expression {
  const variable = nameOf(arg(call, 0));
  return write((loop) => comprehension(call, variable, undefined, loop));
}

function twoVariables(call: Call, write: (make: Make) => Expression): Expression {
  const first = nameOf(arg(call, 0));
  const second = nameOf(arg(call, 1));
  if (first === second) throw new SyntaxIssue(arg(call, 1).at, `duplicate variable name: ${first}`);
  return write((loop) => comprehension(call, first, second, loop));
}

function comprehension(call: Call, variable: string, second: string | undefined, loop: Loop): Expression {
  return {
    kind: 'comprehension',
    at: call.at,
    range: target(call),
    variable,
    ...(second === undefined ? {} : { second }),
    accumulator: ACCUMULATOR,
    result: accumulator(call.at),
    ...loop,
  };
}

function nameOf(variable: Expression): string {
  if (variable.kind !== 'identifier') throw new SyntaxIssue(variable.at, 'argument must be a simple name');
  if (variable.name === '__result__') {
    throw new SyntaxIssue(variable.at, 'iteration variable overwrites accumulator variable');
  }
  return variable.name;
}

function arg(call: Call, index: number): Expression {
  return call.args[index] as Expression;
}

function target(call: Call): Expression {
  return call.target as Expression;
}

function literal(at: number, value: CelValue): Expression {
  return { kind: 'constant', at, value };
}

function accumulator(at: number): Expression {
  return { kind: 'identifier', at, name: ACCUMULATOR };
}

function apply(at: number, name: string, ...args: Expression[]): Expression {
  return { kind: 'call', at, name, args };
}
