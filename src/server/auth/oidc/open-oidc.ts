import type { SignInMethods } from '../../../api/sign-in.ts';
import type { AuditLog } from '../../../audit/audit-log.ts';
import { createLoginBackoff } from '../../../auth/login-backoff.ts';
import type { ConnectorSettings } from '../../../auth/oidc/connector.ts';
import { openConnector } from '../../../auth/oidc/open-connector.ts';
import type { Exchange, Filter, Handler } from '../../../http/exchange.ts';
import type { BrowserSessions } from '../../../http/session/browser-session.ts';
import { originOf } from '../../../http/session/same-origin.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Log } from '../../../lib/log.ts';
import type { ManagementState } from '../../../management/state.ts';
import type { CloseStack } from '../../../process/close-stack.ts';
import type { KindStores } from '../../../registry/kind-stores.ts';
import type { Replicas } from '../../../replicas/replicas.ts';
import type { Sealer } from '../../../seal/sealer.ts';
import type { Store } from '../../../store/store.ts';
import { runOnLeader } from '../../background/run-on-leader.ts';
import type { Logins } from '../logins.ts';
import { openIdentityLogins } from './identity-logins.ts';
import { oidcHandler } from './oidc-handlers.ts';
import { PendingCookies } from './pending-cookie.ts';
import { consoleDisabledReply } from './problem-reply.ts';
import type { ProviderSignInOptions } from './provider-sign-in.ts';
import { startIdentityRefresher } from './refresh/identity-refresher.ts';
import type { RefreshCounters } from './refresh/refresh-report.ts';
import { RefreshKeys } from './refresh-keys.ts';
import { warnAboutSharedGroups } from './warn-about-shared-groups.ts';

export interface OidcOptions extends Pick<ProviderSignInOptions, 'authenticate'> {
  readonly settings: {
    readonly auth: { readonly oidc: readonly ConnectorSettings[] };
    readonly console: { readonly enabled: boolean };
  };
  readonly sessions: BrowserSessions;
  readonly logins: Pick<Logins, 'end' | 'openWithIdentity'>;
  readonly store: Pick<Store, 'get'>;
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly replicas: Replicas;
  readonly auditLog: AuditLog;
  readonly refreshCounters: RefreshCounters;
  readonly sealer: Sealer;
  readonly closing: CloseStack;
  readonly clock: Clock;
  readonly log: Log;
}

/** Single sign-on with OpenID Connect providers. */
export interface Oidc {
  /** The connectors that the sign-in page offers. */
  readonly offered: SignInMethods['connectors'];
  /** Creates the handler of all paths below `/auth/oidc`. */
  createHandler(audited: Filter): Handler;
  /**
   * Returns the URL of the page at which the user of a login signs out at the provider. `undefined` if the login was
   * not opened at a provider, if the provider has no such page, or if the provider does not respond soon.
   */
  signOutUrl(loginName: string, exchange: Exchange): Promise<string | undefined>;
}

/**
 * The time within which a provider that was not used yet must answer during a sign-out, in milliseconds. It is short
 * because the user is waiting.
 */
const signOutMilliseconds = 3_000;

/** Opens the connectors. A provider that is down does not prevent the server from starting. */
export function openOidc(options: OidcOptions): Oidc {
  const { settings, sessions, sealer, clock, log } = options;
  const opened = settings.auth.oidc.map((each) => openConnector({ settings: each, clock, log }));
  warnAboutSharedGroups(settings.auth.oidc, log);
  options.closing.add('connectors', async () => {
    await Promise.all(opened.map((connector) => connector.close()));
  });
  const connectors = new Map(opened.map((connector) => [connector.settings.name, connector]));
  const refreshKeys = new RefreshKeys(options);
  const identityLogins = openIdentityLogins({ ...options, refreshKeys, connectors });
  const refreshing = { ...options, refreshKeys, connectors, counters: options.refreshCounters };
  options.closing.add(
    'identity refresher',
    runOnLeader(
      options.replicas,
      (fence, assertCurrent) => startIdentityRefresher(refreshing, { fence, assertCurrent }).stop,
    ),
  );
  const isEnabled = settings.console.enabled;
  return {
    offered: isEnabled ? opened.map(({ settings: { name, displayName } }) => ({ name, displayName })) : [],

    createHandler(audited) {
      if (!isEnabled) return async () => consoleDisabledReply();
      // Failed sign-ins at providers do not delay logins with passwords, and failed logins with passwords do not delay
      // sign-ins at providers.
      const backoff = createLoginBackoff(clock);
      const cookies = new PendingCookies(sealer, clock);
      return oidcHandler({ ...options, connectors, identityLogins, cookies, backoff, audited });
    },

    async signOutUrl(loginName, { request, signal }) {
      const signIn = identityLogins.signInOf(loginName);
      const connector = connectors.get(signIn?.connector ?? '');
      const origin = sessions.externalUrl ?? originOf(request.headers.host);
      if (connector === undefined || origin === undefined) return undefined;
      const limit = AbortSignal.any([signal, AbortSignal.timeout(signOutMilliseconds)]);
      try {
        return (await connector.signOutUrl(signIn?.idToken, `${origin}/sign-in`, limit))?.href;
      } catch (error) {
        log.warn({ connector: connector.settings.name, err: error }, 'cannot sign a user out at the provider');
        return undefined;
      }
    },
  };
}
