import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import type { Principal } from '../../data/principals.ts';

/** Returns the signed-in caller as the owner of a key; `undefined` if the caller is neither a user nor a team. */
export function selfPrincipal(self: SelfStatus | undefined): Principal | undefined {
  if (self?.user !== undefined) return { kind: 'User', name: self.user.name };
  return self?.team === undefined ? undefined : { kind: 'Team', name: self.team.name };
}

/** Returns the owner as it appears in a sentence: "you", "anna" or "the team ops". */
export function ownerPhrase(owner: Principal | undefined, self: SelfStatus | undefined): string {
  const own = selfPrincipal(self);
  if (owner === undefined || (owner.kind === own?.kind && owner.name === own.name)) return 'you';
  return owner.kind === 'User' ? owner.name : `the team ${owner.name}`;
}
