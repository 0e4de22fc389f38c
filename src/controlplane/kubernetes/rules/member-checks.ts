import { isJsonObject } from '@flotilla/json';
import { childPath } from '../../../api/schema/field-path.ts';
import { objectAt } from './checks.ts';
import type { Check } from './object-rules.ts';

type MemberChecks = Readonly<Record<string, readonly Check[]>>;

/**
 * Returns a check that applies checks to some members of the struct `name`, in the given order. An absent struct is
 * checked like a struct without members.
 */
export function memberChecks(name: string, members: MemberChecks): Check {
  const checks = structChecks(members);
  return (value, position) => checks(objectAt(value, name), { ...position, path: childPath(position.path, name) });
}

/**
 * Returns a check that applies checks to some members of a struct, in the given order. An absent struct has no errors.
 */
export function structChecks(members: MemberChecks): Check {
  return function* (value, position) {
    if (!isJsonObject(value)) return;
    for (const [member, checks] of Object.entries(members)) {
      for (const check of checks) {
        yield* check(value[member] ?? undefined, {
          ...position,
          path: childPath(position.path, member),
          parent: value,
        });
      }
    }
  };
}
