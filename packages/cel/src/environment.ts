import type { CelType, ObjectType } from './cel-type.ts';
import type { Overload } from './overload.ts';

/** The variables, functions and types that a CEL expression may use. */
export interface Environment {
  readonly variables: ReadonlyMap<string, CelType>;
  /** Overloads by function name. Operators have names such as `_+_`; functions in a namespace contain a dot. */
  readonly functions: ReadonlyMap<string, readonly Overload[]>;
  /** Types by name. Expressions can use a type name as a value: `type(x) == int`. */
  readonly types: ReadonlyMap<string, CelType>;
  /**
   * Returns the object type with this name, which a message literal constructs. The method is absent if expressions
   * cannot construct objects.
   */
  messageType?(name: string): ObjectType | undefined;
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
