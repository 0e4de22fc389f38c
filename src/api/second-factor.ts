/** The values of the setting `auth.password.secondFactor`. */
export const secondFactorPolicies = ['off', 'optional', 'required'] as const;

export type SecondFactorPolicy = (typeof secondFactorPolicies)[number];

/**
 * Reason in the causes of a 401 response to a login: the password is right, and the login needs a code. Clients ask for
 * the code and send the request again with the member `code`.
 */
export const secondFactorCause = 'SecondFactorRequired';

/**
 * Reason in the causes of a 401 response to a login: the password is right, and the user must set up a second factor. The
 * causes have the fields of `SecondFactorSetup`. Clients show the secret, and send the request again with the members
 * `code` and `setup`.
 */
export const secondFactorSetupCause = 'SecondFactorSetupRequired';

/** A second factor that the user has not confirmed with a code yet. */
export interface SecondFactorSetup {
  /** The secret as base32 text, for the authenticator app. */
  readonly secret: string;
  /** The URI form of `secret`, which authenticator apps read. */
  readonly uri: string;
  /** A text that the client sends back with the first code. Only the server can read it. */
  readonly setup: string;
}

/** The second factor of the caller: the body of GET `/auth/totp`. */
export interface SecondFactorState {
  readonly policy: SecondFactorPolicy;
  readonly enabled: boolean;
  /** The number of recovery codes that are left. */
  readonly recoveryCodes: number;
}
