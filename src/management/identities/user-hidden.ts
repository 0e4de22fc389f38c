import type { JsonObject } from '@flotilla/json';

/** `passwordPurpose` is the purpose with which the password hash is sealed. */
export const hiddenPassword = 'password';
export const passwordPurpose = 'user-password';
export const hiddenProviderGroups = 'providerGroups';
export const hiddenPasswordFingerprint = 'passwordMark';
export const hiddenKeptLogin = 'keptLogin';
export const hiddenResetKey = 'resetKey';
export const hiddenSecondFactor = 'secondFactor';

/** The second factor of a user. */
export type SecondFactor = {
  /** The sealed secret. */
  readonly secret: string;
  /** The time step of the last accepted code. */
  readonly lastStep: number;
  /** The keyed hashes of the recovery codes that are left. */
  readonly recoveryCodes: string[];
};

/** The hidden part of a user: data that the server keeps with the user and that no response contains. */
export type UserHidden = {
  /** The sealed password hash. */
  [hiddenPassword]?: string;
  /** The groups that identity providers report, by `identityClaim`. */
  [hiddenProviderGroups]?: Record<string, string[]>;
  /** A text that changes with each password. A login stores the text that was current when the login was created. */
  [hiddenPasswordFingerprint]?: string;
  /** The UID of the login that the last password change did not revoke. */
  [hiddenKeptLogin]?: string;
  /**
   * The UID of the access key of the current reset link. A newer link replaces this UID. Each change of the password
   * removes it in the same write, so a link is used at most once.
   */
  [hiddenResetKey]?: string;
  [hiddenSecondFactor]?: SecondFactor;
};

/**
 * Casts the hidden part of a record to the hidden part of a user. All such casts use this function. They are safe,
 * because only the hooks of the kind and this server's own writes change the hidden part.
 */
export function userHiddenOf(hidden: JsonObject): UserHidden;
export function userHiddenOf(hidden: JsonObject | undefined): UserHidden | undefined;
export function userHiddenOf(hidden: JsonObject | undefined): UserHidden | undefined {
  return hidden as UserHidden | undefined;
}
