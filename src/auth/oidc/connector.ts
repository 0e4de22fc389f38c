import type { ProviderLogin } from './provider-identity.ts';

/** A connector as `auth.oidc` of the configuration file defines it. */
export interface ConnectorSettings {
  readonly name: string;
  /** The text of the sign-in button. */
  readonly displayName: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for public clients, which use PKCE alone. */
  readonly clientSecretFile?: string;
  readonly scopes: readonly string[];
  /** CA certificates for connections to the provider, in PEM format. Absent: the system's. */
  readonly caFile?: string;
  readonly claims: { readonly user: string; readonly email: string; readonly groups: string };
  /** People who are in none of these groups are refused. Empty: everybody may sign in. */
  readonly allowedGroups: readonly string[];
  /** People whose verified email address has another domain are refused. Empty: every domain. */
  readonly allowedDomains: readonly string[];
  /** Prefix of the names of groups in clusters. The other settings contain the names without it. Absent means none. */
  readonly groupsPrefix?: string;
  /** The teams of each group. Members of the group are members of the teams while the provider says so. */
  readonly groupsToTeams: Readonly<Record<string, readonly string[]>>;
  /** Members of these groups are administrators while the provider says so. */
  readonly adminGroups: readonly string[];
  /** Create a user at the first sign-in. If false, an administrator creates it and links it. */
  readonly createUsers: boolean;
  /** Interval in seconds at which groups are refreshed with the refresh token. */
  readonly refreshSeconds: number;
  /** Time in seconds for which logins stay valid while the provider does not answer. */
  readonly unavailableSeconds: number;
}

/** A sign-in that waits for the provider. The browser keeps it, sealed, until the provider sends the browser back. */
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
  /** Exchanges the code in the URL with which the provider sent the browser back, and verifies the ID token. */
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
 * The reasons why a provider's answer cannot be used. `Unavailable`: it did not answer in time, or not with a usable
 * document; a later attempt may succeed. `Rejected`: it refused, or its answer failed a check. `NotAllowed`: the settings
 * of the connector do not allow this person to sign in (only `finish`). `Gone`: it says that the login or the user no
 * longer exists, or the person may no longer sign in (only `refresh`).
 */
export type ProviderErrorReason = 'Unavailable' | 'Rejected' | 'NotAllowed' | 'Gone';

export interface ProviderErrorOptions extends ErrorOptions {
  /**
   * True if the provider may have processed the request: it was sent, and no usable response arrived. A refresh token may
   * then be replaced. Optional; defaults to false.
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
