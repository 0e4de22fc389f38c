/**
 * Returns a function with the result of `compute`, which calls `compute` only once for consecutive calls with the same
 * argument. The argument must not be modified. Only the last argument and its result are kept in memory.
 */
export function rememberLast<Argument, Result>(
  compute: (argument: Argument) => Result,
): (argument: Argument) => Result {
  let last: { readonly argument: Argument; readonly result: Result } | undefined;
  return (argument) => {
    if (last === undefined || last.argument !== argument) last = { argument, result: compute(argument) };
    return last.result;
  };
}
