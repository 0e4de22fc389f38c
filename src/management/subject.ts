import type { AccessKey } from '../api/management/v1/access-key.ts';
import type { Scope } from '../api/management/v1/scope.ts';
import type { UserInfo } from '../api/user-info.ts';
import { type CompiledScope, compileScope, denyAllScope } from '../auth/authz/scope.ts';
import { type AuthorizationSubject, isAdmin } from '../auth/authz/subject.ts';
import { scopesOf } from './access-keys/access-key-state.ts';
import type { ManagementState } from './state.ts';

/** A caller, and the restrictions of the credential that the request used. */
export interface CredentialedCaller {
  readonly user: UserInfo;
  readonly system: boolean;
  /** The name of the access key. Absent for the server's own code and for the subject of an access review. */
  readonly accessKey?: string;
  /** The scopes of a token, in addition to those of its access key. */
  readonly scopes?: readonly Scope[];
}

const unscoped: readonly CompiledScope[] = [];
const denyAll: readonly CompiledScope[] = [denyAllScope];

/**
 * The compiled scopes of each key object. A changed key, even if only its hidden part changed, is a new JavaScript
 * object, so no entry is outdated.
 */
const compiledScopes = new WeakMap<AccessKey, readonly CompiledScope[]>();

/**
 * Returns the caller in the form that the authorizer needs. The scopes of the access key of the request apply even if
 * the caller impersonates another user. If this key has been deleted, everything is denied.
 */
export function authorizationSubjectOf(
  { user, system, accessKey, scopes = [] }: CredentialedCaller,
  state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>,
): AuthorizationSubject {
  const own = scopes.length === 0 ? unscoped : scopes.map(compileScope);
  if (accessKey === undefined) return { user, system, scopes: own };
  const key = state.accessKey(accessKey);
  const keys = key === undefined ? denyAll : scopesOfKey(key, state);
  return { user, system, scopes: own.length === 0 ? keys : [...keys, ...own] };
}

/** True for an admin of the installation whose access key has no scope. Limits of tenants do not apply to such a caller. */
export function isUnscopedAdmin(
  caller: CredentialedCaller,
  state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>,
): boolean {
  return isAdmin(caller.user) && authorizationSubjectOf(caller, state).scopes.length === 0;
}

function scopesOfKey(key: AccessKey, state: Pick<ManagementState, 'accessKeyHidden'>): readonly CompiledScope[] {
  const found = compiledScopes.get(key);
  if (found !== undefined) return found;
  const scopes = scopesOf(key, state).map(compileScope);
  compiledScopes.set(key, scopes.length === 0 ? unscoped : scopes);
  return scopes;
}
