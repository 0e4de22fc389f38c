/** The ways to sign in that a server offers: the body of `/auth/methods`. */
export interface SignInMethods {
  /** True if users may sign in with a password. */
  readonly password: boolean;
  /** The OpenID Connect connectors, in the order of the configuration file. */
  readonly connectors: readonly { readonly name: string; readonly displayName: string }[];
}

/** The reasons why a sign-in through a connector failed, as they appear in the URL of the sign-in page. */
export const signInProblems = [
  'ProviderUnavailable',
  'Refused',
  'NotAllowed',
  'Expired',
  'UserDisabled',
  'NoUser',
  'Busy',
] as const;

export type SignInProblem = (typeof signInProblems)[number];
