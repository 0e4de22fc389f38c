import { childPath } from '../../../api/schema/field-path.ts';
import { objectAt } from './checks.ts';
import type { Check } from './object-rules.ts';

/** Returns a check of some members of the struct `name`, in the given order. An absent struct has no members. */
export function memberChecks(name: string, members: Readonly<Record<string, readonly Check[]>>): Check {
  return function* (value, place) {
    const parent = objectAt(value, name);
    const path = childPath(place.path, name);
    for (const [member, checks] of Object.entries(members)) {
      for (const check of checks) {
        yield* check(parent[member] ?? undefined, { ...place, path: childPath(path, member), parent });
      }
    }
  };
}
