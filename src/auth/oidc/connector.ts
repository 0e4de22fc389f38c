import type { ProviderLogin } from './provider-identity.ts';

/** A connector as `auth.oidc` of the configuration file defines it. */
export interface ConnectorSettings {
  readonly name: string;
  /** The text of the sign-in button. */
  readonly displayName: string;
  readonly issuer: string;
  readonly clientId: string;
  /** The file with the client secret. Absent for public clients, which use only PKCE. */
  readonly clientSecretFile?: string;
  readonly scopes: readonly string[];
  /**
   * CA certificates for connections to the provider, in PEM format. If absent, the CA certificates of the system are
   * used.
   */
  readonly caFile?: string;
  readonly claims: { readonly user: string; readonly email: string; readonly groups: string };
  /** People who are in none of these groups are refused. If empty, everybody may sign in. */
  readonly allowedGroups: readonly string[];
  /** People whose verified email address has another domain are refused. If empty, every domain is allowed. */
  readonly allowedDomains: readonly string[];
  /**
   * Prefix of the names of groups in clusters. The other settings contain group names without the prefix. If absent,
   * there is no prefix.
   */
  readonly groupsPrefix?: string;
  /**
   * The teams for each group of the provider. A person is a member of these teams as long as the provider reports the
   * group.
   */
  readonly groupsToTeams: Readonly<Record<string, readonly string[]>>;
  /** Members of these groups are administrators as long as the provider reports the membership. */
  readonly adminGroups: readonly string[];
  /**
   * If true, the first sign-in of a person creates a user. If false, an administrator creates the user and links the
   * identity.
   */
  readonly createUsers: boolean;
  /** Interval in seconds at which groups are refreshed with the refresh token. */
  readonly refreshSeconds: number;
  /** Time in seconds for which logins stay valid if the provider does not answer. */
  readonly unavailableSeconds: number;
}

/**
 * A sign-in that has been started and waits for the provider. The browser stores the sealed sign-in until the provider
 * sends the browser back to this server.
 */
export interface PendingSignIn {
  readonly connector: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** A client of one OpenID Connect provider. All methods reject with a `ProviderError`. */
export interface OidcConnector {
  readonly settings: ConnectorSettings;
  /** Returns the provider's sign-in page for a new sign-in. */
  start(redirectUri: string, signal: AbortSignal): Promise<{ readonly url: URL; readonly pending: PendingSignIn }>;
  /**
   * Exchanges the code in the URL `callback`, to which the provider sent the browser back, and verifies the ID token.
   */
  finish(pending: PendingSignIn, callback: URL, signal: AbortSignal): Promise<ProviderLogin>;
  /** Refreshes a login. The provider must report the same subject. */
  refresh(
    login: { readonly subject: string; readonly refreshToken: string },
    signal: AbortSignal,
  ): Promise<ProviderLogin>;
  /** Returns the page at which a user signs out at the provider; `undefined` if the provider offers none. */
  signOutUrl(idToken: string | undefined, returnTo: string, signal: AbortSignal): Promise<URL | undefined>;
}

/**
 * The reason why the answer of a provider cannot be used. `Unavailable`: the provider did not answer in time or sent an
 * unusable document; a later attempt may succeed. `Rejected`: the provider refused the request, or the answer failed a
 * check. `NotAllowed`: the settings of the connector do not allow this person to sign in (only `finish`). `Gone`:
 * according to the provider, the login or the user no longer exists, or the person may no longer sign in (only
 * `refresh`).
 */
export type ProviderErrorReason = 'Unavailable' | 'Rejected' | 'NotAllowed' | 'Gone';

export interface ProviderErrorOptions extends ErrorOptions {
  /**
   * True if the provider may have processed the request: it was sent, and no usable response arrived. The provider may
   * then have replaced the refresh token. Optional; defaults to false.
   */
  readonly isOutcomeUnknown?: boolean;
}

/** The message is for administrators (log and audit) and contains no secrets. */
export class ProviderError extends Error {
  readonly reason: ProviderErrorReason;
  readonly isOutcomeUnknown: boolean;

  constructor(reason: ProviderErrorReason, message: string, options: ProviderErrorOptions = {}) {
    super(message, options);
    this.name = 'ProviderError';
    this.reason = reason;
    this.isOutcomeUnknown = options.isOutcomeUnknown === true;
  }
}
