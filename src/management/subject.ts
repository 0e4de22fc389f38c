import type { JsonObject } from '@flotilla/json';
import type { AccessKey } from '../api/management/v1/access-key.ts';
import type { UserInfo } from '../api/user-info.ts';
import { compileScope, denyAllScope, type Scope } from '../auth/authz/scope.ts';
import type { Subject } from '../auth/authz/subject.ts';
import { scopesOf } from './access-keys/access-key-state.ts';
import type { ManagementState } from './state.ts';

/** A caller and the credential of the request. */
export interface CredentialedCaller {
  readonly user: UserInfo;
  readonly system: boolean;
  /** Absent for the server's own code and for the subject of an access review. */
  readonly accessKey?: string;
  /** Scopes of a token, in addition to those of its key. */
  readonly scopes?: readonly JsonObject[];
}

const unscoped: readonly Scope[] = [];
const denyAll: readonly Scope[] = [denyAllScope];

/** Per version of a key; the hidden part changes with it. */
const compiledScopes = new WeakMap<AccessKey, readonly Scope[]>();

/** The scopes of the key in use also apply during impersonation. A deleted key allows nothing. */
export function subjectOf(
  { user, system, accessKey, scopes = [] }: CredentialedCaller,
  state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>,
): Subject {
  const own = scopes.length === 0 ? unscoped : scopes.map(compileScope);
  if (accessKey === undefined) return { user, system, scopes: own };
  const key = state.accessKey(accessKey);
  const keys = key === undefined ? denyAll : scopesOfKey(key, state);
  return { user, system, scopes: own.length === 0 ? keys : [...keys, ...own] };
}

function scopesOfKey(key: AccessKey, state: Pick<ManagementState, 'accessKeyHidden'>): readonly Scope[] {
  const found = compiledScopes.get(key);
  if (found !== undefined) return found;
  const scopes = scopesOf(key, state).map(compileScope);
  compiledScopes.set(key, scopes.length === 0 ? unscoped : scopes);
  return scopes;
}
