import type { RegisterOperation, RegisterValue } from './register-operation.ts';

/**
 * Searches for an order of all operations in which each operation takes effect between its start and its end and has
 * the result that its client saw. Returns `undefined` if such an order exists, otherwise a description of the first
 * operation that fits into no order.
 *
 * Checks each register alone, because registers are independent. The check goes through time and keeps all states that
 * are possible so far. It executes a started operation only when the end of some operation requires it (just-in-time
 * linearization).
 */
export function findNonLinearizable(operations: readonly RegisterOperation[]): string | undefined {
  const registers = new Map<string, RegisterOperation[]>();
  for (const operation of operations) {
    const history = registers.get(operation.register);
    if (history === undefined) registers.set(operation.register, [operation]);
    else history.push(operation);
  }
  for (const [register, history] of registers) {
    const violation = checkRegister(history);
    if (violation !== undefined) return `register ${register}: ${violation}`;
  }
  return undefined;
}

/** A possible state: the value, and the operations that are executed but have not ended. */
interface Possibility {
  readonly value: RegisterValue;
  readonly executed: ReadonlySet<RegisterOperation>;
}

function checkRegister(history: readonly RegisterOperation[]): string | undefined {
  const numbers = new Map(history.map((operation, index) => [operation, index]));
  const events = history
    .flatMap((operation) => [
      { at: operation.startedAt, operation, isStart: true },
      { at: operation.endedAt, operation, isStart: false },
    ])
    .filter(({ at }) => at !== Number.POSITIVE_INFINITY)
    // If one operation starts at the instant at which another operation ends, they count as concurrent.
    .sort((a, b) => a.at - b.at || Number(b.isStart) - Number(a.isStart));
  const open = new Set<RegisterOperation>();
  let possibilities: Possibility[] = [{ value: undefined, executed: new Set() }];
  for (const { operation, isStart } of events) {
    if (isStart) {
      open.add(operation);
      continue;
    }
    const before = possibilities;
    possibilities = executeUntil(operation, possibilities, { open, numbers });
    open.delete(operation);
    if (possibilities.length === 0) return describe(operation, before);
  }
  return undefined;
}

/**
 * Returns all states in which the operation `last` has been executed. The returned states do not list `last`, because
 * it has ended.
 */
function executeUntil(
  last: RegisterOperation,
  possibilities: readonly Possibility[],
  context: { readonly open: ReadonlySet<RegisterOperation>; readonly numbers: ReadonlyMap<RegisterOperation, number> },
): Possibility[] {
  const results = new Map<string, Possibility>();
  const seen = new Set<string>();
  const pending = [...possibilities];
  const identify = ({ value, executed }: Possibility) =>
    JSON.stringify([value ?? null, [...executed].map((operation) => context.numbers.get(operation)).sort()]);
  for (let current = pending.pop(); current !== undefined; current = pending.pop()) {
    const id = identify(current);
    if (seen.has(id)) continue;
    seen.add(id);
    if (current.executed.has(last)) {
      const executed = new Set(current.executed);
      executed.delete(last);
      const result = { value: current.value, executed };
      results.set(identify(result), result);
      continue;
    }
    for (const operation of context.open) {
      if (current.executed.has(operation)) continue;
      const effect = execute(operation, current.value);
      if (effect === undefined) continue;
      pending.push({ value: effect.value, executed: new Set(current.executed).add(operation) });
    }
  }
  return [...results.values()];
}

/**
 * Returns the register's value after the operation; `undefined` if the operation cannot have its recorded result when
 * the register has this value.
 */
function execute(operation: RegisterOperation, value: RegisterValue): { readonly value: RegisterValue } | undefined {
  if (operation.kind === 'read') return operation.found === value ? { value } : undefined;
  const { from, to, result } = operation;
  if (result === 'refused') return value === from ? undefined : { value };
  return value === from ? { value: to } : undefined;
}

function describe(operation: RegisterOperation, possibilities: readonly Possibility[]): string {
  const values = [...new Set(possibilities.map(({ value }) => value ?? 'absent'))].join(' or ');
  return `${JSON.stringify(operation)} is impossible; before it, the value was ${values}`;
}
