import type { KubeObject } from '../api/meta.ts';
import type { UserInfo } from '../api/user-info.ts';
import { closedScope, compileScope, type Scope } from '../auth/authz/scope.ts';
import type { Subject } from '../auth/authz/subject.ts';
import type { JsonObject } from '../lib/json-value.ts';
import { scopesOf } from './access-key-state.ts';
import type { ManagementState } from './state.ts';

/** Somebody, and the credential that they came with. */
export interface Credentialed {
  readonly user: UserInfo;
  readonly system: boolean;
  /** Absent: the server's own code, or somebody whom a review asks about. */
  readonly accessKey?: string;
  /** What narrows it besides the key: a token's own. */
  readonly scopes?: readonly JsonObject[];
}

const unscoped: readonly Scope[] = [];
const closed: readonly Scope[] = [closedScope];

/** Of one version of a key; its hidden part changes with it. */
const known = new WeakMap<KubeObject, readonly Scope[]>();

/** Whatever name a request acts under, the scopes of the key that it came with go along; a key that is gone opens nothing. */
export function subjectOf(
  { user, system, accessKey, scopes = [] }: Credentialed,
  state: Pick<ManagementState, 'accessKey' | 'accessKeyHidden'>,
): Subject {
  const own = scopes.length === 0 ? unscoped : scopes.map(compileScope);
  if (accessKey === undefined) return { user, system, scopes: own };
  const key = state.accessKey(accessKey);
  const keys = key === undefined ? closed : scopesOfKey(key, state);
  return { user, system, scopes: own.length === 0 ? keys : [...keys, ...own] };
}

function scopesOfKey(key: KubeObject, state: Pick<ManagementState, 'accessKeyHidden'>): readonly Scope[] {
  const found = known.get(key);
  if (found !== undefined) return found;
  const scopes = scopesOf(key, state).map(compileScope);
  known.set(key, scopes.length === 0 ? unscoped : scopes);
  return scopes;
}
