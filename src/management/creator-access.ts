import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../api/management/v1/virtual-cluster-instance.ts';
import { teamOfGroup } from '../api/naming.ts';
import type { UserInfo } from '../api/user-info.ts';
import { decide } from '../auth/authz/decide.ts';
import type { AuthorizationSubject } from '../auth/authz/subject.ts';
import { isUsableKey } from '../auth/key-state.ts';
import type { KeyOwnerField } from './access-keys/access-key-index.ts';
import { keyStateOf } from './access-keys/access-key-state.ts';
import { accessKeyIdentity } from './identity.ts';
import type { ManagementState } from './state.ts';

/**
 * True if a user, team or subject may use the instance, with its own permissions or with the permissions of one of its
 * valid access keys. `creator` is the name of the user, team or subject in the tokens of virtual clusters. A disabled
 * or deleted user may not use any instance.
 */
export function creatorMayUse(
  creator: string,
  instance: VirtualClusterInstance,
  state: ManagementState,
  now: number,
): boolean {
  for (const user of identitiesOf(creator, state, now)) {
    if (mayUseInstance({ user, system: false, scopes: [] }, instance, state)) return true;
  }
  return false;
}

function* identitiesOf(creator: string, state: ManagementState, now: number): Iterable<UserInfo> {
  const [member, name] = ownerNamed(creator, state);
  const own = member === 'subject' ? undefined : accessKeyIdentity({ spec: { [member]: name } }, state);
  if (own !== undefined) yield own;
  for (const key of state.accessKeysOf(member, name)) {
    if (member !== 'subject' && (key.spec?.groups ?? []).length === 0) continue;
    const found = keyStateOf(key, state);
    if (isUsableKey(found, now)) yield found.user;
  }
}

/** Returns the user, team or subject that the creator name in a token of a virtual cluster refers to. */
function ownerNamed(
  creator: string,
  state: Pick<ManagementState, 'user' | 'userWithSubject'>,
): readonly [KeyOwnerField, string] {
  const team = teamOfGroup(creator);
  if (team !== undefined) return ['team', team];
  const user = state.user(creator);
  if (user !== undefined && ['', creator].includes(user.spec?.subject ?? '')) return ['user', creator];
  const withSubject = state.userWithSubject(creator);
  return withSubject === undefined ? ['subject', creator] : ['user', withSubject];
}

export function mayUseInstance(
  subject: AuthorizationSubject,
  { metadata }: VirtualClusterInstance,
  state: ManagementState,
): boolean {
  const { group, version, plural: resource } = virtualClusterInstanceKind;
  const { namespace = '', name = '' } = metadata;
  const attributes = { resourceRequest: true, verb: 'use', group, version, resource, subresource: '' } as const;
  return decide(subject, { ...attributes, namespace, name }, state).allowed;
}
