import { cloneJson } from '@flotilla/json';
import { accessKeyExpiry, accessKeyPhase } from '../../api/management/access-key-expiry.ts';
import {
  type AccessKey,
  type AccessKeySpec,
  accessKeyKind,
  clientAccessKeyTypes,
} from '../../api/management/v1/access-key.ts';
import { isWorkloadKey } from '../../api/management/workload-key.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden } from '../../api/status.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import { hiddenCreatorKey, hiddenInheritedScopes } from './access-key-hidden.ts';
import { ownerMemberOf } from './access-key-index.ts';
import { belongsToCurrentOwner } from './access-key-owner.ts';
import { keyStateOf, scopesOf } from './access-key-state.ts';
import { isAppSession } from './app-session-keys.ts';
import { isScopedKey } from './key-scopes.ts';
import { isLogin } from './login-keys.ts';
import { refuseTooManyWorkloadKeys } from './workload-keys.ts';

type Dependencies = Pick<ManagementDependencies, 'state' | 'settings' | 'clock'>;

/**
 * Throws 403 if the owner has the maximum number of keys. Logins, expired keys and keys of workloads do not count; keys
 * of workloads have separate limits. In a shared store, first takes the guard of the limit: a row that every such
 * create checks and replaces, so the count is exact.
 */
export function checkKeyCount(
  draft: AccessKeyDraft,
  context: RequestContext,
  dependencies: Dependencies,
): MaybePromise<void> {
  const { state, settings } = dependencies;
  const isWorkload = isWorkloadKey(draft.object);
  if (!isWorkload && (context.system || settings.accessKeys.perUser <= 0)) return;
  const owner = ownerMemberOf(draft.object);
  if (owner === undefined) return;
  const refuse = isWorkload ? refuseTooManyWorkloadKeys : refuseTooManyKeys;
  if (!state.isShared()) return refuse(draft.object, dependencies);
  return state.takeGuard('access-keys', `${owner}/${draft.object.spec?.[owner] ?? ''}`).then((guard) => {
    draft.guards = [guard];
    refuse(draft.object, dependencies);
  });
}

function refuseTooManyKeys(key: AccessKey, { state, settings, clock }: Dependencies): void {
  const owner = ownerMemberOf(key) ?? 'user';
  const limit = settings.accessKeys.perUser;
  const name = key.spec?.[owner] ?? '';
  // The keys are examined one by one only if their total number reaches the limit.
  if (state.accessKeyCountOf(owner, name) < limit) return;
  let count = 0;
  for (const other of state.accessKeysOf(owner, name)) {
    const isCounted =
      (clientAccessKeyTypes as readonly string[]).includes(other.spec?.type ?? '') && !isWorkloadKey(other);
    if (isCounted && belongsToCurrentOwner(other, state) && accessKeyPhase(other, clock.now()) !== 'Expired') count++;
  }
  if (count < limit) return;
  throw forbidden(
    groupResourceOf(accessKeyKind),
    key.metadata.name ?? '',
    `exceeded quota, requested: ${accessKeyKind.plural}=1, used: ${accessKeyKind.plural}=${count}, limited: ${accessKeyKind.plural}=${limit}; the limit is the server setting accessKeys.perUser; delete keys of the ${owner} "${name}"`,
  );
}

/** Returns the maximum lifetime of a key in seconds. 0 means no limit. */
export function maxLifetime(isScoped: boolean, { accessKeys }: Pick<Dependencies['settings'], 'accessKeys'>): number {
  const limits = [accessKeys.maxTTL, isScoped ? 0 : accessKeys.maxUnscopedTTL].filter((limit) => limit > 0);
  return limits.length === 0 ? 0 : Math.min(...limits);
}

/**
 * Limits the ttl in an update. A write without a ttl keeps the ttl that the server has set. After the write, the key
 * still expires no later than the key that created it.
 */
export function keepLifetime(
  draft: AccessKeyDraft,
  spec: AccessKeySpec,
  context: RequestContext,
  dependencies: Dependencies,
): void {
  const storedTtl = draft.old?.object.spec?.ttl ?? 0;
  const madeWith = draft.hidden[hiddenCreatorKey];
  const hasMaximum = maxLifetime(isScopedKey(draft), dependencies.settings) > 0;
  const isSetByServer = hasMaximum || madeWith !== undefined || isLogin(draft.object);
  if (spec.ttl === undefined && storedTtl !== 0 && isSetByServer) spec.ttl = storedTtl;
  if (context.system || (spec.ttl ?? 0) === storedTtl) return;
  const creator = dependencies.state.accessKey(madeWith?.name ?? '');
  if (creator?.metadata.uid === (madeWith?.uid ?? '')) {
    const ttl = ttlWithinCreator(draft.object, creator, context, dependencies);
    if (ttl !== undefined) spec.ttl = ttl;
  }
}

/**
 * Applies the restrictions that a new key inherits from its creator key, the key with which it is created. The new key
 * gets the scopes of the creator key. It also does not outlive the creator key, unless the creator key is a login. In
 * addition, the server's maximum ttl applies. Keys that the server itself creates have no creator key, except for
 * logins that a caller opens with a key.
 */
export function inheritFromCreatorKey(
  draft: AccessKeyDraft,
  spec: AccessKeySpec,
  context: RequestContext,
  dependencies: Dependencies,
): void {
  const { state, settings } = dependencies;
  if (context.system && context.accessKey === undefined) return;
  const creator = context.accessKey === undefined ? undefined : state.accessKey(context.accessKey);
  if (creator === undefined && context.accessKey !== undefined) throw creatorNotFound(draft);
  const scopes = creator === undefined ? [] : scopesOf(creator, state);
  if (scopes.length > 0) draft.hidden[hiddenInheritedScopes] = scopes.map((scope) => cloneJson(scope));
  const max = maxLifetime(isScopedKey(draft), settings);
  if (max > 0 && (spec.ttl ?? 0) === 0) spec.ttl = max;
  if (creator === undefined) return;
  const endsWithCreator = isLogin(draft.object) || isAppSession(draft.object);
  const binding = endsWithCreator ? creator : loginOpener(creator, draft, state);
  if (binding === undefined) return;
  draft.hidden[hiddenCreatorKey] = { name: binding.metadata.name ?? '', uid: binding.metadata.uid ?? '' };
  const ttl = ttlWithinCreator(draft.object, binding, context, dependencies);
  if (ttl !== undefined) spec.ttl = ttl;
}

/**
 * Returns the key that a key created by `creator` must not outlive: `creator` itself, or, if `creator` is a login, the
 * access key with which the login was opened. `undefined` if the login was opened with a password. A key that is
 * created during a login may outlive the login, but not the access key that opened it, because a login must not extend
 * the life of a key.
 */
function loginOpener(creator: AccessKey, draft: AccessKeyDraft, state: Dependencies['state']): AccessKey | undefined {
  let link = creator;
  while (isLogin(link)) {
    const opener = state.accessKeyHidden(link.metadata.name ?? '')?.[hiddenCreatorKey];
    if (opener === undefined) return undefined;
    const found = state.accessKey(opener.name);
    if (found === undefined || found.metadata.uid !== opener.uid) throw creatorNotFound(draft);
    link = found;
  }
  return link;
}

/**
 * Returns the error for the creation of a key whose creator key was deleted. The scopes of the deleted key are no
 * longer known.
 */
function creatorNotFound(draft: AccessKeyDraft): Error {
  const detail = 'the access key that this request depends on no longer exists';
  return forbidden(groupResourceOf(accessKeyKind), draft.object.metadata.name ?? '', detail);
}

/**
 * Returns a reduced ttl with which the new key does not outlive its creator key, so that the displayed expiry is
 * correct. `undefined` if the ttl need not be reduced. Later changes to the expiry of the creator key are evaluated at
 * each use.
 */
function ttlWithinCreator(
  key: AccessKey,
  creator: AccessKey,
  context: RequestContext,
  dependencies: Dependencies,
): number | undefined {
  const creatorExpiry = keyStateOf(creator, dependencies.state).expiresAt;
  if (creatorExpiry === undefined) return undefined;
  const own = accessKeyExpiry(key);
  if (own !== undefined && own <= creatorExpiry) return undefined;
  const created = Date.parse(key.metadata.creationTimestamp ?? '');
  const from = Number.isNaN(created) ? dependencies.clock.now() : created;
  const maxTtl = Math.max(1, Math.floor((creatorExpiry - from) / 1000));
  if (own !== undefined) {
    context.warn(`spec.ttl is reduced to ${maxTtl}: a key does not outlive the key that creates it`);
  }
  return maxTtl;
}
