import { isSameIdentity } from '../../../../api/management/identities.ts';
import { type AccessKey, accessKeyKind } from '../../../../api/management/v1/access-key.ts';
import type { IdentityLink, User, UserIdentity } from '../../../../api/management/v1/user.ts';
import { timestamp } from '../../../../api/meta.ts';
import { StatusError } from '../../../../api/status.ts';
import type { AuditLog } from '../../../../audit/audit-log.ts';
import { type OidcConnector, ProviderError } from '../../../../auth/oidc/connector.ts';
import type { ProviderIdentity, ProviderLogin } from '../../../../auth/oidc/provider-identity.ts';
import { systemContext } from '../../../../controlplane/system-context.ts';
import type { Clock } from '../../../../lib/clock.ts';
import type { Log } from '../../../../lib/log.ts';
import { isLogin, isRefreshKey } from '../../../../management/access-keys/login-keys.ts';
import { storedGroups } from '../../../../management/identities/provider-rights.ts';
import type { ManagementState } from '../../../../management/state.ts';
import { type KindStores, storeOf } from '../../../../registry/kind-stores.ts';
import type { RevisionCheck } from '../../../../store/store.ts';
import { identityRights } from '../identity-rights.ts';
import { isUnchanged, keyIdentity, profileOf, userIdentity } from '../identity-values.ts';
import { identityPatch, type RefreshKeys, type RefreshSecrets } from '../refresh-keys.ts';
import { changeIdentity, refreshProfile } from '../user-identities.ts';
import { auditRefresh, type RefreshResult } from './refresh-report.ts';

export interface RefreshOptions {
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly refreshKeys: RefreshKeys;
  /** The connectors by name. */
  readonly connectors: ReadonlyMap<string, Pick<OidcConnector, 'settings' | 'refresh'>>;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
}

/** The period in which one server may refresh identities (`runOnLeader`). */
export interface RefreshTenure {
  readonly fence: RevisionCheck | undefined;
  assertCurrent(): void;
}

/** The result of a refresh. */
export interface RefreshOutcome {
  /**
   * The result of the refresh. `undefined` if a sign-in replaced the token during the refresh, so the result does not
   * count.
   */
  readonly result: RefreshResult | undefined;
  /** The reason for a failure. */
  readonly why?: string;
}

/** A refresh key with its user, its identity and its secrets. */
interface Target {
  readonly key: AccessKey;
  readonly name: string;
  readonly user: User;
  readonly userName: string;
  readonly link: IdentityLink;
  readonly secrets: RefreshSecrets;
  readonly connector: Pick<OidcConnector, 'settings' | 'refresh'>;
}

const writing = { dryRun: false, fieldManager: 'flotilla', fieldValidation: 'Ignore', force: false } as const;

/** Refreshes the identity of one refresh key. */
export async function refreshIdentity(
  options: RefreshOptions,
  keyName: string,
  tenure: RefreshTenure,
  signal: AbortSignal,
): Promise<RefreshOutcome> {
  const target = await findTarget(options, keyName, tenure);
  if (target === undefined) return { result: 'ended' };
  const { connector, link, secrets } = target;
  const started = await markStarted(options, target, tenure);
  if (started === undefined) return { result: undefined };
  tenure.assertCurrent();
  let login: ProviderLogin;
  try {
    login = await connector.refresh({ subject: link.subject, refreshToken: secrets.refreshToken }, signal);
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return { result: await failed(options, { ...target, key: started }, tenure, error), why: error.message };
  }
  return { result: await succeeded(options, { ...target, key: started }, tenure, login) };
}

/**
 * Returns the refresh key with its user and identity. If the identity can no longer be refreshed, ends the identity and
 * returns `undefined`.
 */
async function findTarget(options: RefreshOptions, name: string, tenure: RefreshTenure): Promise<Target | undefined> {
  const { state, refreshKeys, connectors } = options;
  const key = state.accessKey(name);
  if (key === undefined || !isRefreshKey(key)) return undefined;
  const { user: userName = '', identity = {} } = key.spec ?? {};
  const user = state.user(userName);
  const secrets = refreshKeys.secretsOf(key);
  const connector = connectors.get(identity.connector ?? '');
  const link = { issuer: secrets?.issuer ?? '', subject: identity.userId ?? '' };
  const isLinked = user?.spec?.identities?.some((one) => isSameIdentity(one, link)) === true;
  if (user !== undefined && secrets !== undefined && connector?.settings.issuer === link.issuer && isLinked)
    return { key, name, user, userName, link, secrets, connector };
  await retireRefreshKey(options, key, tenure, 'the connector is no longer configured');
  return undefined;
}

/** Removes a refresh key and ends its identity. `message` is the reason that is shown. */
export async function retireRefreshKey(
  options: RefreshOptions,
  key: AccessKey,
  tenure: RefreshTenure,
  message: string,
): Promise<void> {
  await endIdentity(options, endingOf(options, key), { state: 'Expired', message }, tenure);
  await options.refreshKeys.remove(key, systemContext('', undefined, tenure.fence));
}

/**
 * Ends the logins of an identity that the provider has not confirmed for too long. Keeps the refresh key for later
 * attempts.
 */
export async function suspendIdentity(
  options: RefreshOptions,
  key: AccessKey,
  tenure: RefreshTenure,
  message: string,
): Promise<void> {
  const text = `the provider has not confirmed the identity since ${key.spec?.identityRefresh}: ${message}`;
  await endIdentity(options, endingOf(options, key), { state: 'Unavailable', message: text }, tenure);
}

function endingOf({ state, refreshKeys }: RefreshOptions, key: AccessKey): EndingIdentity {
  const { user = '', identity } = key.spec ?? {};
  const { name: accessKey = '', resourceVersion } = key.metadata;
  return {
    user,
    link: { issuer: refreshKeys.secretsOf(key)?.issuer ?? '', subject: identity?.userId ?? '' },
    connector: identity?.connector ?? '',
    accessKey,
    isCurrent: () => state.accessKey(accessKey)?.metadata.resourceVersion === resourceVersion,
  };
}

/**
 * Records that the refresh token is about to be used, unless the provider is known to keep tokens. If the server stops
 * before the result is stored, this record shows the next refresh that the token may be lost. Returns the written key;
 * `undefined` if a sign-in replaced the token.
 */
async function markStarted(
  { refreshKeys, state, clock }: RefreshOptions,
  { key, name, secrets }: Target,
  { fence }: RefreshTenure,
): Promise<AccessKey | undefined> {
  if (secrets.rotates === false) return key;
  const marked = { ...secrets, startedAt: clock.now() };
  const written = await unlessChanged(() =>
    refreshKeys.write(
      name,
      { spec: shownPart(key), secrets: marked },
      systemContext('', undefined, fence),
      key.metadata.resourceVersion,
    ),
  );
  const next = state.accessKey(name);
  return next?.metadata.resourceVersion === written ? next : undefined;
}

/** Removes the mark that `markStarted` has written, because the provider has not used the token. */
async function clearMark(
  { refreshKeys }: RefreshOptions,
  { key, name, secrets }: Target,
  { fence }: RefreshTenure,
): Promise<void> {
  // Keeps the mark of an earlier refresh, because that refresh may have lost the token.
  if (secrets.rotates === false || secrets.startedAt !== undefined) return;
  await unlessChanged(() =>
    refreshKeys.write(
      name,
      { spec: shownPart(key), secrets },
      systemContext('', undefined, fence),
      key.metadata.resourceVersion,
    ),
  );
}

async function succeeded(
  options: RefreshOptions,
  target: Target,
  { fence }: RefreshTenure,
  { identity, refreshToken, idToken }: ProviderLogin,
): Promise<RefreshResult | undefined> {
  const { refreshKeys, kinds, state, clock } = options;
  const { key, name, userName, link, secrets, connector } = target;
  const rights = identityRights(connector.settings, identity);
  const now = clock.now();
  const shown = { identity: keyIdentity(identity, rights), identityRefresh: timestamp(now) };
  const { startedAt: _, ...kept } = secrets;
  const isReplaced = refreshToken !== undefined && refreshToken !== secrets.refreshToken;
  const next: RefreshSecrets = {
    ...kept,
    rotates: isReplaced || secrets.rotates === true,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(idToken === undefined ? {} : { idToken }),
  };
  // Writes without the fence, because the provider has replaced the token and only this server has the new one. The
  // check of the key's version prevents an old token from replacing a newer one.
  const stored = await unlessChanged(() =>
    refreshKeys.write(name, { spec: shown, secrets: next }, systemContext(''), key.metadata.resourceVersion),
  );
  if (stored === undefined) return undefined;
  let isChanged = false;
  const update = (before: UserIdentity | undefined): UserIdentity | undefined => {
    const changed = userIdentity(identity, rights, { before, now, isLogin: false });
    isChanged = !isUnchanged(before, changed, storedGroups(state.userHidden(userName), link));
    return isChanged ? changed : undefined;
  };
  const context = systemContext('', undefined, fence);
  const user = await changeIdentity(kinds, { user: userName, link }, update, context);
  if (user === undefined) return 'unchanged';
  // Updates the profile even if the identity is unchanged: the person may have edited their own display name.
  await refreshProfile(kinds, user, profileOf(user, identity), context);
  if (!isChanged) return 'unchanged';
  await updateLogins(options, target, shown, fence);
  const who = { connector: identity.connector, subject: link.subject, user: userName, accessKey: name };
  await auditRefresh(options, who, 'changed', changeText(identity, rights.teams));
  return 'changed';
}

function changeText({ groups }: ProviderIdentity, teams: readonly string[]): string {
  return `the identity changed; ${groups.length} groups, teams: ${teams.join(', ') || 'none'}`;
}

/** Writes the changed identity to the logins that share the refresh token. */
async function updateLogins(
  { kinds, state }: RefreshOptions,
  { name, userName }: Target,
  { identity, identityRefresh }: Pick<NonNullable<AccessKey['spec']>, 'identity' | 'identityRefresh'>,
  fence: RevisionCheck | undefined,
): Promise<void> {
  const document = { spec: { identity: identityPatch(identity), identityRefresh: identityRefresh ?? null } };
  for (const login of [...state.accessKeysOf('user', userName)]) {
    if (!isLogin(login) || login.spec?.parent !== name) continue;
    await ignoreMissing(
      storeOf(kinds, accessKeyKind).verbs.patch(
        systemContext('', undefined, fence),
        login.metadata.name ?? '',
        { type: 'merge', document, findings: [] },
        writing,
      ),
    );
  }
}

async function failed(
  options: RefreshOptions,
  target: Target,
  tenure: RefreshTenure,
  { reason, message, isOutcomeUnknown }: ProviderError,
): Promise<RefreshResult | undefined> {
  const { key, secrets, connector } = target;
  if (reason !== 'Gone' && reason !== 'NotAllowed') {
    const last = Date.parse(key.spec?.identityRefresh ?? '');
    const isOverdue = options.clock.now() - last >= connector.settings.unavailableSeconds * 1000;
    if (isOverdue) await suspendIdentity(options, key, tenure, message);
    if (!isOutcomeUnknown) await clearMark(options, target, tenure);
    return 'unavailable';
  }
  // The previous refresh was interrupted, and the provider replaces tokens. The new token was therefore lost.
  const isLost = secrets.rotates === true && secrets.startedAt !== undefined;
  const lost = 'the refresh token was lost because the server stopped during a refresh; sign in again';
  const end = isLost ? ({ state: 'Expired', message: lost } as const) : ({ state: 'Gone', message } as const);
  const ended = await endIdentity(options, endingOf(options, key), end, tenure);
  if (!ended) return undefined;
  await options.refreshKeys.remove(key, systemContext('', undefined, tenure.fence));
  return isLost ? 'ended' : 'gone';
}

/** An identity to end, with the fields for its audit event. */
interface EndingIdentity {
  readonly user: string;
  readonly link: IdentityLink;
  readonly connector: string;
  readonly accessKey?: string;
  /** Returns false if a new sign-in has confirmed the identity in the meantime. Optional; defaults to true. */
  isCurrent?(): boolean;
}

/**
 * Ends an active identity. The same write ends its logins and withdraws its permissions, because both depend on the state
 * of the identity. Returns false if a new sign-in confirmed the identity in the meantime.
 */
export async function endIdentity(
  options: Pick<RefreshOptions, 'kinds' | 'auditLog' | 'clock' | 'log'>,
  { user, link, connector, accessKey, isCurrent = () => true }: EndingIdentity,
  end: { readonly state: 'Expired' | 'Unavailable' | 'Gone'; readonly message: string },
  { fence }: RefreshTenure,
): Promise<boolean> {
  let result: 'current' | 'replaced' | 'ended' = 'current';
  const change = (before: UserIdentity | undefined): UserIdentity | undefined => {
    result = isCurrent() ? 'current' : 'replaced';
    if (before === undefined || result === 'replaced' || before.state === end.state) return undefined;
    result = 'ended';
    return { ...before, ...end, lastRefresh: timestamp(options.clock.now()) };
  };
  await changeIdentity(options.kinds, { user, link }, change, systemContext('', undefined, fence));
  if ((result as string) === 'ended') {
    const kind = end.state === 'Gone' ? 'gone' : end.state === 'Unavailable' ? 'unavailable' : 'ended';
    await auditRefresh(options, { connector, subject: link.subject, user, accessKey }, kind, end.message);
  }
  return (result as string) !== 'replaced';
}

function shownPart({ spec }: AccessKey) {
  const { identity, identityRefresh } = spec ?? {};
  return {
    ...(identity === undefined ? {} : { identity }),
    ...(identityRefresh === undefined ? {} : { identityRefresh }),
  };
}

/** Returns `undefined` if the object was changed or removed by another write. */
async function unlessChanged<T>(write: () => Promise<T>): Promise<T | undefined> {
  try {
    return await write();
  } catch (error) {
    if (error instanceof StatusError && (error.code === 409 || error.code === 404)) return undefined;
    throw error;
  }
}

async function ignoreMissing(write: Promise<unknown>): Promise<void> {
  await unlessChanged(() => write);
}
