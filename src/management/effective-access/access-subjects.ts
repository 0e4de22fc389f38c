import { compareBytes } from '@flotilla/json';
import { accessKeyExpiry } from '../../api/management/access-key-expiry.ts';
import type { AccessKey } from '../../api/management/v1/access-key.ts';
import { compileScope } from '../../auth/authz/scope.ts';
import type { AuthorizationSubject } from '../../auth/authz/subject.ts';
import { isUsableKey } from '../../auth/key-state.ts';
import { keyStateOf, scopesOf } from '../access-keys/access-key-state.ts';
import { accessKeyIdentity } from '../identity.ts';
import type { ManagementState } from '../state.ts';

/** The kinds of subjects whose access is listed, in the order of lists. */
export const subjectKinds = ['User', 'Team', 'AccessKey'] as const;

export interface SubjectRef {
  readonly kind: (typeof subjectKinds)[number];
  readonly name: string;
}

/** The identity of a subject as the authorizer uses it, or the reason why the subject has no access at all. */
export type AccessSubject =
  | { readonly subject: AuthorizationSubject; readonly via: readonly string[] }
  | { readonly inactive: string };

/** Returns the subject. `undefined` if the subject does not exist. */
export function findSubject(
  { kind, name }: SubjectRef,
  state: ManagementState,
  now: number,
): AccessSubject | undefined {
  if (kind === 'AccessKey') {
    const key = state.accessKey(name);
    return key && subjectOfKey(key, state, now);
  }
  if (kind === 'Team') return state.team(name) && subjectOfOwner({ team: name }, state);
  const user = state.user(name);
  if (user === undefined) return undefined;
  return user.spec?.disabled === true ? { inactive: 'the user is disabled' } : subjectOfOwner({ user: name }, state);
}

function subjectOfOwner(spec: { user: string } | { team: string }, state: ManagementState): AccessSubject {
  const user = accessKeyIdentity({ spec }, state);
  if (user === undefined) return { inactive: 'the subject cannot log in' };
  return { subject: { user, system: false, scopes: [] }, via: [] };
}

function subjectOfKey(key: AccessKey, state: ManagementState, now: number): AccessSubject {
  const found = keyStateOf(key, state);
  if (!isUsableKey(found, now)) return { inactive: inactiveReason(key, found.disabled, now) };
  const { user = '', team = '', subject = '' } = key.spec ?? {};
  const owner = user !== '' ? `user ${user}` : team !== '' ? `team ${team}` : `subject ${subject}`;
  const scopes = scopesOf(key, state).map(compileScope);
  return { subject: { user: found.user, system: false, scopes }, via: [owner] };
}

function inactiveReason(key: AccessKey, disabled: boolean, now: number): string {
  if (disabled) return 'the key, or a key that created it, is disabled';
  const end = accessKeyExpiry(key);
  if (end !== undefined && end <= now) return 'the key has expired';
  return 'the owner of the key, or a key that created it, is disabled, deleted or expired';
}

/**
 * Returns all subjects that can have access to an object, sorted by kind and name: users, teams, and access keys that
 * have groups of their own or belong to neither a user nor a team. All other access keys have the access of their
 * owner.
 */
export function* allSubjects(state: ManagementState): Iterable<SubjectRef> {
  const sorted = (objects: Iterable<{ metadata: { name?: string } }>) =>
    Array.from(objects, ({ metadata }) => metadata.name ?? '').sort(compareBytes);
  for (const name of sorted(state.users())) yield { kind: 'User', name };
  for (const name of sorted(state.teams())) yield { kind: 'Team', name };
  for (const name of sorted(keysWithOwnAccess(state))) yield { kind: 'AccessKey', name };
}

function* keysWithOwnAccess(state: ManagementState): Iterable<AccessKey> {
  for (const key of state.accessKeys()) {
    const { groups = [], subject = '' } = key.spec ?? {};
    if (groups.length > 0 || subject !== '') yield key;
  }
}
