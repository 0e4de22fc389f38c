import type { SelfStatus } from '../../../src/api/management/v1/self.ts';
import type { Principal } from '../../data/principals.ts';

/** The signed-in caller as a key owner; `undefined` for a subject that is neither user nor team. */
export function selfPrincipal(self: SelfStatus | undefined): Principal | undefined {
  if (self?.user !== undefined) return { kind: 'User', name: self.user.name };
  return self?.team === undefined ? undefined : { kind: 'Team', name: self.team.name };
}

/** The owner as in a sentence: "you", "anna", "the team ops". */
export function ownerPhrase(owner: Principal | undefined, self: SelfStatus | undefined): string {
  const own = selfPrincipal(self);
  if (owner === undefined || (owner.kind === own?.kind && owner.name === own.name)) return 'you';
  return owner.kind === 'User' ? owner.name : `the team ${owner.name}`;
}
