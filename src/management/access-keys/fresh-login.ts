import { equalJson } from '@flotilla/json';
import { accessKeyExpiry } from '../../api/management/access-key-expiry.ts';
import { type AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import { adminUser, freshLoginCause } from '../../api/naming.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { forbidden, type GroupResource } from '../../api/status.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import type { AccessKeyDraft } from '../drafts.ts';
import type { ManagementState } from '../state.ts';
import { hiddenCreatorKey, hiddenKeyHash } from './access-key-hidden.ts';
import { scopesOf } from './access-key-state.ts';
import { isScopedKey } from './key-scopes.ts';
import { isLogin, openingTimeOf } from './login-keys.ts';

type Dependencies = Pick<ManagementDependencies, 'settings' | 'clock'> & { readonly state: ManagementState };

/** The object that a request changes, and a description of the change, as worded in the error message. */
interface SensitiveChange {
  readonly resource: GroupResource;
  readonly name: string;
  /** The change, for example `setting a password`. */
  readonly change: string;
}

/**
 * Throws 403 unless the caller uses a fresh login: a login with a password or through an identity provider that is not
 * older than `auth.freshLoginSeconds`. Without this check, the holder of a key that is valid for minutes could get a
 * credential that is valid forever. The first key of the administrator and the keys of `flotilla admin-key` are exempt,
 * so that an installation can be set up and access can be restored without a login.
 */
export function requireFreshLogin(
  { resource, name, change }: SensitiveChange,
  context: RequestContext,
  dependencies: Dependencies,
): void {
  const { freshLoginSeconds } = dependencies.settings.auth;
  if (context.system || context.accessKey === undefined || freshLoginSeconds === 0) return;
  const used = dependencies.state.accessKey(context.accessKey);
  if (used !== undefined && isFreshLogin(used, dependencies)) return;
  const { user = '' } = used?.spec ?? {};
  const detail = `${change} requires a login with a password or through an identity provider that is at most ${durationText(freshLoginSeconds)} old; log in again: flotilla login --username ${user || 'NAME'}, or sign out of the console and sign in again`;
  throw forbidden(resource, name, detail, [{ reason: freshLoginCause, message: detail }]);
}

/**
 * Throws 403 if the caller has no fresh login and the request is sensitive: it creates an access key that has no scope,
 * never expires or expires later than the caller's login, or it extends what an existing key permits. Changes of logins
 * count too, because a key that replaced the value of a fresh login would have a fresh login.
 */
export function checkFreshLoginForKey(
  draft: AccessKeyDraft,
  context: RequestContext,
  dependencies: Dependencies,
): void {
  if (context.system || context.accessKey === undefined) return;
  const change =
    draft.old === undefined ? creationOf(draft, context, dependencies) : updateOf(draft, context, dependencies);
  if (change === undefined) return;
  const name = draft.object.metadata.name ?? '';
  requireFreshLogin({ resource: groupResourceOf(accessKeyKind), name, change }, context, dependencies);
}

function isFreshLogin(key: AccessKey, { state, settings, clock }: Dependencies): boolean {
  if (!isLogin(key)) return isOriginalAdminKey(key, state);
  const opener = openerOf(key.metadata.name ?? '', state);
  if (opener !== '') {
    const found = state.accessKey(opener);
    if (found === undefined || !isOriginalAdminKey(found, state)) return false;
  }
  const age = clock.now() - Date.parse(openingTimeOf(key, state));
  return age <= settings.auth.freshLoginSeconds * 1000;
}

/** Returns the name of the key that opened this login or created this key. '' if none did. */
function openerOf(name: string, state: Pick<Dependencies['state'], 'accessKeyHidden'>): string {
  return state.accessKeyHidden(name)?.[hiddenCreatorKey]?.name ?? '';
}

/** The names of the keys of the administrator that the server creates. */
const adminKeyNames = new RegExp(`^${adminUser}(-[0-9a-f]{8})?$`);

/**
 * True for an access key of the administrator that the server created at its first start, or that `flotilla admin-key`
 * created. No client created such a key, so it has no recorded creator.
 */
function isOriginalAdminKey(key: AccessKey, state: Pick<Dependencies['state'], 'accessKeyHidden'>): boolean {
  const { name = '' } = key.metadata;
  const { user, type = '', createdBy = '' } = key.spec ?? {};
  const isOfAdministrator = adminKeyNames.test(name) && user === adminUser && type === 'User';
  return isOfAdministrator && createdBy === '' && state.accessKeyHidden(name)?.[hiddenCreatorKey] === undefined;
}

/**
 * Returns the sensitive change that a create makes, as text for the error message. A scoped key may create keys that
 * have no expiry time of their own, because they inherit its scopes and expire together with it. A key that a login
 * creates can outlive the login, unless an access key opened the login.
 */
function creationOf({ object, hidden }: AccessKeyDraft, context: RequestContext, dependencies: Dependencies) {
  const { state } = dependencies;
  if (!isScopedKey({ object, hidden })) return 'creating an access key without a scope';
  const used = state.accessKey(context.accessKey ?? '');
  if (isEndless(object) && (used === undefined || scopesOf(used, state).length === 0))
    return 'creating an access key that does not expire';
  return hidden[hiddenCreatorKey] === undefined ? 'creating an access key that outlives the login' : undefined;
}

/**
 * Returns the sensitive change that an update makes, as text for the error message. A key may replace its own value,
 * and a login that was opened with the key may replace the value of the key, because the holder gains nothing. For the
 * same reason, the key and the login may change keys that have a scope and an expiry time and end together with that
 * key or login.
 */
function updateOf(draft: AccessKeyDraft, context: RequestContext, { state }: Dependencies): string | undefined {
  const { object, old, hidden } = draft;
  const ranges = old?.object.spec?.allowedCIDRs ?? [];
  if (ranges.length > 0 && !equalJson(ranges, object.spec?.allowedCIDRs ?? []))
    return 'changing the allowed addresses of an access key';
  if (old === undefined) return undefined;
  const { accessKey = '' } = context;
  const used = state.accessKey(accessKey);
  const opener = used !== undefined && isLogin(used) ? openerOf(accessKey, state) : '';
  const credentials = [accessKey, opener].filter((name) => name !== '');
  const isScoped = isScopedKey(draft);
  if (isScoped && !isEndless(object) && endsWith(object, credentials, state)) return undefined;
  const before = old.object;
  const which = isScoped
    ? `an access key${isEndless(object) ? ' that does not expire' : ''}`
    : 'an access key without a scope';
  const isOwnValue = credentials.includes(object.metadata.name ?? '');
  if (!isOwnValue && !equalJson(hidden[hiddenKeyHash], old.hidden?.[hiddenKeyHash]))
    return `replacing the value of ${which}`;
  // Any change of a scope may widen it. A scope that is added to a key without one only reduces access.
  const wasScoped = isScopedKey({ object: before, hidden: old.hidden ?? {} });
  if (wasScoped && !equalJson(object.spec?.scope ?? null, before.spec?.scope ?? null))
    return `changing the scope of ${which}`;
  if (endOf(object) > endOf(before)) return `extending the lifetime of ${which}`;
  return before.spec?.disabled === true && object.spec?.disabled !== true ? `enabling ${which}` : undefined;
}

/**
 * True if one of the keys in `creators` created the key, directly or through other keys. The key then ends together
 * with that creator.
 */
function endsWith(
  { metadata: { name = '' } }: AccessKey,
  creators: readonly string[],
  state: Pick<Dependencies['state'], 'accessKeyHidden'>,
): boolean {
  const seen = new Set<string>();
  for (let link = openerOf(name, state); link !== '' && !seen.has(link); link = openerOf(link, state)) {
    if (creators.includes(link)) return true;
    seen.add(link);
  }
  return false;
}

function isEndless(key: AccessKey): boolean {
  return Number(key.spec?.ttl ?? 0) <= 0;
}

/**
 * Returns the time at which a key expires, for comparison. A key that expires only after a period without use counts as
 * later than all keys with a fixed expiry time.
 */
function endOf(key: AccessKey): number {
  if (isEndless(key)) return Number.POSITIVE_INFINITY;
  if (key.spec?.ttlAfterLastActivity === true) return Number.MAX_SAFE_INTEGER + Number(key.spec.ttl);
  return accessKeyExpiry(key) ?? Number.POSITIVE_INFINITY;
}

function durationText(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`;
}
