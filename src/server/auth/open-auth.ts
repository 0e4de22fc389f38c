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
import type { ManagementApi } from '../open-management.ts';
import type { ServerOptions } from '../settings/options.ts';
import type { AuthHandlers } from './auth-mounts.ts';
import { logoutHandler, passwordLoginHandler } from './login-handlers.ts';
import { openLogins } from './logins.ts';
import { sessionHandler } from './session-handler.ts';
import { createSignIn } from './sign-in.ts';
import { jwksHandler, signingKeysHandler } from './signing-keys-handler.ts';
import { StoredLoginBackoff } from './stored-login-backoff.ts';

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
  const { loginTTL } = settings.auth;
  const logins = openLogins({
    kinds: management.plane.kinds,
    state: management.state,
    sealer,
    ttl: maxTTL > 0 ? Math.min(loginTTL, maxTTL) : loginTTL,
    runOnOneServer: (start) => runOnLeader(options.replicas, start),
    clock,
    log,
  });
  options.closing.add('logins', () => logins.close());
  const slots = new FairSlots({ slots: maxConcurrentHashes(), ...queueOptions, clock });
  const backoff = createLoginBackoff(clock);
  const sharedBackoff = store.isShared ? new StoredLoginBackoff({ store, sealer, clock, log }) : undefined;
  options.closing.add('login backoff', () => sharedBackoff?.close());
  const { authenticate, freshness } = options;
  const enter = createPasswordLogin({
    find: (username) => logins.find(username),
    ...(freshness === undefined ? {} : { confirm: () => freshness.confirm() }),
    backoff,
    ...(sharedBackoff === undefined ? {} : { sharedBackoff }),
    acquireSlot: (source, signal) => slots.acquire(sourceNetworkOf(source), endOfSignal(signal)),
  });
  const sessions: BrowserSessions = {
    externalUrl: settings.externalUrl,
    identityOf(value) {
      const holder = authenticate(value);
      const key = management.state.accessKey(holder?.accessKey ?? '');
      return key !== undefined && isLogin(key) ? holder : undefined;
    },
  };
  return {
    jwks: jwksHandler(signingKeys),
    signingKeys: signingKeysHandler(signingKeys),
    logout: logoutHandler({ logins }),
    ...(settings.console.enabled ? { sessions } : {}),
    createLoginHandlers(audited) {
      const signIn = createSignIn({ logins, enter, backoff, authenticate, freshness }, audited);
      return {
        password: passwordLoginHandler(signIn),
        session: sessionHandler({ signIn, sessions, freshness, logins, audited, clock, log }),
      };
    },
  };
}
