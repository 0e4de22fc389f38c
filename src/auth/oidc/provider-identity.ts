/** A person as an OpenID Connect provider identifies them. Only `issuer` and `subject` together identify the person. */
export interface ProviderIdentity {
  /** The name of the connector (`auth.oidc[].name`) through which the person signed in. */
  readonly connector: string;
  readonly issuer: string;
  readonly subject: string;
  /** The value of the claim that the connector uses as the user's name. */
  readonly username: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly emailVerified: boolean;
  /** The URL of a picture of the person. */
  readonly picture?: string;
  readonly groups: readonly string[];
}

/** The result of a sign-in or a refresh at a provider. Its tokens are secrets. */
export interface ProviderLogin {
  readonly identity: ProviderIdentity;
  /** The refresh token, if the provider issues one. A refresh may replace the refresh token. */
  readonly refreshToken?: string;
  /** The ID token. A sign-out at the provider sends it as a hint. */
  readonly idToken?: string;
}
