import type { JsonValue } from '@flotilla/json';
import type { ManagementState } from '../state.ts';
import { namingObjects } from './plan-offboarding.ts';

/**
 * Returns the names of all users that objects refer to: as owner, as member of a project, or in a list `users` at any
 * depth, such as the list of a team or of an access rule. The users need not exist. If a user with such a name is
 * created later, it gets the access. The scan is linear in the number of objects.
 */
export function namedUsers(state: ManagementState): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, { spec }] of namingObjects(state)) {
    if (spec === undefined) continue;
    const { owner, members = [] } = spec;
    if (owner?.user !== undefined) names.add(owner.user);
    for (const { kind, name = '' } of members) if (kind !== 'Team') names.add(name);
    addListed(spec, names);
  }
  return names;
}

function addListed(value: JsonValue | undefined, names: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) addListed(item, names);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (name === 'users' && Array.isArray(member)) {
        for (const user of member) if (typeof user === 'string') names.add(user);
      }
      addListed(member, names);
    }
  }
}
