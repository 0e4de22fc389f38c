import type { LoginBackoff } from '../../auth/login-backoff.ts';
import { createTokenVerifier } from '../../auth/token-verifier.ts';
import type { Filter, Handler } from '../../http/exchange.ts';
import type { Freshness } from '../../http/freshness.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { ManagementState } from '../../management/state.ts';
import type { SigningKeys } from '../../process/signing-keys.ts';
import type { KindStores } from '../../registry/kind-stores.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { Store } from '../../store/store.ts';
import type { Logins } from '../auth/logins.ts';
import { jwksHandler } from '../auth/signing-keys-handler.ts';
import type { OidcProviderSettings } from '../settings/oidc-provider-settings.ts';
import { AppSessions } from './app-sessions.ts';
import { AuthorizationCodes } from './authorization-codes.ts';
import { authorizeHandler } from './authorize-handler.ts';
import { configurationHandler } from './configuration-handler.ts';
import { consentHandler } from './consent-handler.ts';
import { endSessionHandler } from './end-session-handler.ts';
import { revocationHandler } from './revocation-handler.ts';
import { createSessionTokens } from './session-tokens.ts';
import { tokenHandler } from './token-handler.ts';
import { userinfoHandler } from './userinfo-handler.ts';

export interface OidcProviderOptions {
  /** The issuer of the tokens: the URL at which browsers and apps reach this server, with the path `/oidc`. */
  readonly issuer: string;
  readonly settings: OidcProviderSettings;
  readonly kinds: KindStores;
  readonly state: ManagementState;
  readonly store: Store;
  readonly sealer: Sealer;
  readonly signingKeys: SigningKeys;
  readonly logins: Pick<Logins, 'end'>;
  readonly backoff: LoginBackoff;
  /** Confirms that the caches are current. Absent if no other process writes to the store. */
  readonly freshness: Freshness | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** The endpoints of the OpenID Connect provider. */
export interface OidcProvider {
  readonly configuration: Handler;
  readonly jwks: Handler;
  readonly authorize: Handler;
  readonly consent: Handler;
  readonly userinfo: Handler;
  token(audited: Filter): Handler;
  revoke(audited: Filter): Handler;
  endSession(audited: Filter): Handler;
  close(): void;
}

export function openOidcProvider(options: OidcProviderOptions): OidcProvider {
  const { issuer, sealer, signingKeys } = options;
  const clients = new Map(options.settings.clients.map((client) => [client.id, client]));
  const tokens = createSessionTokens(sealer);
  const sessions = new AppSessions({ ...options, clients, tokens });
  const codes = new AuthorizationCodes(options);
  const verifier = createTokenVerifier(
    () => signingKeys.publicKeys(),
    () => signingKeys.refresh(),
  );
  const parts = { ...options, clients, tokens, sessions, codes, verifier };
  return {
    configuration: configurationHandler(issuer),
    jwks: jwksHandler(signingKeys),
    authorize: authorizeHandler(parts),
    consent: consentHandler(parts),
    userinfo: userinfoHandler(parts),
    token: (audited) => tokenHandler(parts, audited),
    revoke: (audited) => revocationHandler(parts, audited),
    endSession: (audited) => endSessionHandler(parts, audited),
    close: () => codes.close(),
  };
}
