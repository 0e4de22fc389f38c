import type { CelType } from './cel-type.ts';
import type { Overload } from './overload.ts';

/** The names that an expression may use. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>;
  /** By name; operators are named `_+_` and the like, functions of namespaces have dots (`sets.contains`). */
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** The names of types, which are values: `type(x) == int`. */
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
