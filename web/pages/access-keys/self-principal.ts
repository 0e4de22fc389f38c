import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import type { Principal } from '../../data/principals.ts';

/** Returns the signed-in caller as the owner of a key; `undefined` if the caller is neither a user nor a team. */
export function selfPrincipal(self: SelfStatus | undefined): Principal | undefined {
  if (self?.user !== undefined) return { kind: 'User', name: self.user.name };
  return self?.team === undefined ? undefined : { kind: 'Team', name: self.team.name };
}
