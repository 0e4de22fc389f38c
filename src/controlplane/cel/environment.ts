import type { CelType } from './cel-type.ts';
import type { Overload } from './overload.ts';

/** What an expression may name. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>;
  /** By name; those of operators are `_+_` and the like, those of namespaces have dots (`sets.contains`). */
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Names of types, which are values: `type(x) == int`. */
  readonly types: ReadonlyMap<string, CelType>;
}

export function groupOverloads(overloads: Iterable<Overload>): Map<string, Overload[]> {
  const functions = new Map<string, Overload[]>();
  for (const one of overloads) {
    const group = functions.get(one.name);
    if (group === undefined) functions.set(one.name, [one]);
    else group.push(one);
  }
  return functions;
}
