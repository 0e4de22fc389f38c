import type { AccessKey } from '../../api/management/v1/access-key.ts';
import type { User } from '../../api/management/v1/user.ts';
import type { VirtualClusterInstance } from '../../api/management/v1/virtual-cluster-instance.ts';
import { compileScope } from '../../auth/authz/scope.ts';
import type { AuthorizationSubject } from '../../auth/authz/subject.ts';
import { withGrantedGroups } from '../access-keys/access-key-groups.ts';
import { scopesOf } from '../access-keys/access-key-state.ts';
import { mayUseInstance } from '../creator-access.ts';
import { accessKeyIdentity } from '../identity.ts';
import type { ManagementState } from '../state.ts';
import { assumeActive, type IdentityState } from './assume-active.ts';
import { keysToDelete } from './plan-offboarding.ts';

/**
 * Returns the instances that the user may use, with the user's own permissions or with a key whose value the user may
 * have. A disabled user, an identity that has ended at its provider, and an expired key are treated as active. There
 * are three reasons: tokens that were created earlier may still be valid, the provider has often removed the person
 * before the offboarding, and an interrupted offboarding has already disabled the user.
 */
export function usableInstances(user: User, state: ManagementState): VirtualClusterInstance[] {
  const subjects = [...subjectsOf(user.metadata.name ?? '', state)];
  const usable: VirtualClusterInstance[] = [];
  for (const { metadata } of state.projects()) {
    for (const instance of state.instancesOf(metadata.name ?? '')) {
      if (subjects.some((subject) => mayUseInstance(subject, instance, state))) usable.push(instance);
    }
  }
  return usable;
}

function* subjectsOf(name: string, state: ManagementState): Iterable<AuthorizationSubject> {
  const assumed = assumeActive(state);
  const own = subjectOf({ metadata: {}, spec: { user: name } }, assumed);
  if (own !== undefined) yield own;
  for (const key of keysToDelete(name, state).deleted) {
    // A key of the user without groups in its spec has at most the permissions of the user.
    if (key.spec?.user === name && (key.spec.groups ?? []).length === 0) continue;
    const known = subjectOf(key, assumed);
    if (known !== undefined) yield known;
  }
}

function subjectOf(key: Pick<AccessKey, 'metadata' | 'spec'>, state: IdentityState): AuthorizationSubject | undefined {
  const user = accessKeyIdentity(withGrantedGroups(key, state), state);
  return user && { user, system: false, scopes: scopesOf(key, state).map(compileScope) };
}
