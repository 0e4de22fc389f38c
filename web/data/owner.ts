import type { KubeObject } from '../../src/api/meta.ts';
import { textAt } from '../../src/lib/json-path.ts';
import type { Principal } from './principals.ts';

/** Returns the owner of an object. */
export function ownerPrincipal(object: KubeObject): Principal | undefined {
  const [user, team] = [textAt(object, 'spec', 'owner', 'user'), textAt(object, 'spec', 'owner', 'team')];
  if (user !== '') return { kind: 'User', name: user };
  return team === '' ? undefined : { kind: 'Team', name: team };
}

/** Returns the `spec` members of a merge patch that set the owner. */
export function ownerPatch({ kind, name }: Principal): object {
  return { owner: kind === 'User' ? { user: name, team: null } : { user: null, team: name } };
}
