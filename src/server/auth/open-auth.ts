import type { AuditLog } from '../../audit/audit-log.ts';
import type { Authenticator } from '../../auth/authn.ts';
import { createLoginBackoff, sourceNetworkOf } from '../../auth/login-backoff.ts';
import { maxConcurrentHashes } from '../../auth/password-hash.ts';
import { createPasswordLogin } from '../../auth/password-login.ts';
import type { Freshness } from '../../http/freshness.ts';
import { FairSlots } from '../../http/limits/fair-slots.ts';
import { endOfSignal } from '../../http/request/request-end.ts';
import type { BrowserSessions } from '../../http/session/browser-session.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { isLogin } from '../../management/access-keys/login-keys.ts';
import type { CloseStack } from '../../process/close-stack.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';
import type { Replicas } from '../../replicas/replicas.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import { runOnLeader } from '../background/run-on-leader.ts';
import { oidcProviderMounts } from '../oidc-provider/oidc-provider-mounts.ts';
import type { ManagementApi } from '../open-management.ts';
import type { ServerOptions } from '../settings/options.ts';
import type { AuthHandlers } from './auth-mounts.ts';
import { LoginRenewals } from './grants/login-renewals.ts';
import { openGrantHandlers } from './grants/open-grant-handlers.ts';
import { resetHandler } from './local/reset-handler.ts';
import { checkSecondFactor, type SecondFactorOptions } from './local/second-factor-check.ts';
import { totpHandler } from './local/totp-handler.ts';
import { logoutHandler, passwordLoginHandler } from './login-handlers.ts';
import { type Logins, openLogins } from './logins.ts';
import { openOidc } from './oidc/open-oidc.ts';
import type { RefreshCounters } from './oidc/refresh/refresh-report.ts';
import { sessionHandler } from './session-handler.ts';
import { createSignIn } from './sign-in.ts';
import { signInMethodsHandler } from './sign-in-methods.ts';
import { jwksHandler, signingKeysHandler } from './signing-keys-handler.ts';
import { StoredLoginBackoff } from './stored-login-backoff.ts';
import { openWorkloadIdentity } from './workload/open-workload-identity.ts';

export interface AuthOptions {
  readonly settings: Pick<ServerOptions, 'auth' | 'management' | 'console' | 'externalUrl'>;
  readonly authenticate: Authenticator['authenticate'];
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly management: ManagementApi;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly replicas: Replicas;
  readonly signingKeys: SigningKeys;
  readonly auditLog: AuditLog;
  readonly refreshCounters: RefreshCounters;
  readonly closing: CloseStack;
  readonly clock: Clock;
  readonly log: Log;
}

/** Limits of the queue for password checks. One check takes tens of milliseconds, so requests wait only briefly. */
const queueOptions = { maxWaiting: 50, waitMilliseconds: 5_000 };

/** Creates the handlers below `/auth`. */
export function openAuthHandlers(options: AuthOptions): AuthHandlers {
  const { settings, management, store, sealer, signingKeys, clock, log } = options;
  const { maxTTL } = settings.management.accessKeys;
  const { loginTTL, renewedLoginTTL } = settings.auth;
  const withinMaximum = (ttl: number) => (maxTTL > 0 ? Math.min(ttl, maxTTL) : ttl);
  const ttl = withinMaximum(loginTTL);
  const logins = openLogins({
    kinds: management.plane.kinds,
    state: management.state,
    sealer,
    ttl,
    runOnOneServer: (start) => runOnLeader(options.replicas, start),
    clock,
    log,
  });
  options.closing.add('logins', () => logins.close());
  const backoff = createLoginBackoff(clock);
  const sharedBackoff = store.isShared ? new StoredLoginBackoff({ store, sealer, clock, log }) : undefined;
  options.closing.add('login backoff', () => sharedBackoff?.close());
  const { freshness } = options;
  const { kinds } = management.plane;
  const policy = settings.auth.password.secondFactor;
  const secondFactor = { policy, kinds, state: management.state, sealer, backoff, sharedBackoff, clock };
  const enter = openPasswordLogin(options, logins, secondFactor);
  const createTokenHandler = openWorkloadIdentity({
    ...options,
    kinds: management.plane.kinds,
    state: management.state,
    issuers: settings.auth.workloadIdentity,
    externalUrl: settings.externalUrl,
    maxTTL,
    backoff,
  });
  const sessions = browserSessions(options);
  const oidc = openOidc({ ...options, kinds: management.plane.kinds, state: management.state, sessions, logins });
  const { externalUrl } = settings;
  const renewals = new LoginRenewals({
    ...{ kinds, state: management.state, sealer, clock, ttl },
    renewedTTL: withinMaximum(renewedLoginTTL),
    freshLoginSeconds: settings.management.auth.freshLoginSeconds,
    connectors: settings.auth.oidc,
    secondFactor: policy,
  });
  const grantOptions = { store, sealer, clock, log, logins, renewals, freshness, backoff, sharedBackoff, externalUrl };
  return {
    jwks: jwksHandler(signingKeys),
    signingKeys: signingKeysHandler(signingKeys),
    methods: signInMethodsHandler({ password: settings.auth.password.enabled, connectors: oidc.offered }),
    totp: totpHandler({ ...secondFactor, settings: settings.management }),
    logout: logoutHandler({ logins }),
    ...(settings.console.enabled
      ? { sessions, grants: openGrantHandlers({ ...grantOptions, closing: options.closing }) }
      : {}),
    mountOidcProvider: oidcProviderMounts(
      {
        ...{ ...options, kinds: management.plane.kinds, state: management.state, backoff, logins },
        settings: settings.auth.oidcProvider,
        externalUrl: settings.externalUrl,
      },
      options.closing,
    ),
    createLoginHandlers: loginHandlersWith(options, {
      logins,
      secondFactor,
      enter,
      sessions,
      oidc,
      createTokenHandler,
    }),
  };
}

interface LoginParts {
  readonly logins: Logins;
  readonly secondFactor: SecondFactorOptions;
  readonly enter: ReturnType<typeof createPasswordLogin>;
  readonly sessions: BrowserSessions;
  readonly oidc: ReturnType<typeof openOidc>;
  readonly createTokenHandler: ReturnType<typeof openWorkloadIdentity>;
}

/** Returns the function that creates the login handlers. */
function loginHandlersWith(
  options: AuthOptions,
  { logins, secondFactor, enter, sessions, oidc, createTokenHandler }: LoginParts,
): AuthHandlers['createLoginHandlers'] {
  const { settings, management, sealer, authenticate, freshness, clock } = options;
  const { backoff } = secondFactor;
  const { kinds } = management.plane;
  return (audited) => {
    const signIn = createSignIn(
      { logins, password: settings.auth.password, enter, backoff, authenticate, freshness },
      audited,
    );
    return {
      password: passwordLoginHandler(signIn),
      reset: resetHandler(
        { ...settings.auth, kinds, state: management.state, sealer, backoff, freshness, clock },
        signIn,
        audited,
      ),
      session: sessionHandler({ ...options, signIn, sessions, logins, signOutUrl: oidc.signOutUrl, audited }),
      token: createTokenHandler?.(audited),
      oidc: oidc.createHandler(audited),
    };
  };
}

function openPasswordLogin(
  { freshness, clock }: AuthOptions,
  logins: Logins,
  secondFactor: SecondFactorOptions,
): ReturnType<typeof createPasswordLogin> {
  const { backoff, sharedBackoff } = secondFactor;
  const slots = new FairSlots({ slots: maxConcurrentHashes(), ...queueOptions, clock });
  return createPasswordLogin({
    find: (username) => logins.find(username),
    ...(freshness === undefined ? {} : { confirm: () => freshness.confirm() }),
    backoff,
    ...(sharedBackoff === undefined ? {} : { sharedBackoff }),
    checkSecondFactor: ({ user }, attempt) => checkSecondFactor(user, attempt, secondFactor),
    acquireSlot: (source, signal) => slots.acquire(sourceNetworkOf(source), endOfSignal(signal)),
  });
}

function browserSessions({ settings, authenticate, management }: AuthOptions): BrowserSessions {
  return {
    externalUrl: settings.externalUrl,
    identityOf(value) {
      const holder = authenticate(value);
      const key = management.state.accessKey(holder?.accessKey ?? '');
      return key !== undefined && isLogin(key) ? holder : undefined;
    },
  };
}
