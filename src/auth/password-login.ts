import { compileAddressRanges } from './address-ranges.ts';
import type { LoginAttempt, LoginBackoff } from './login-backoff.ts';
import { decoyHash, verifyPassword } from './password-hash.ts';

/** The fields of a user account that a login needs. */
export interface PasswordAccount {
  readonly user: string;
  readonly disabled: boolean;
  /** The password hash. Absent if the user has no password. */
  readonly hash?: string;
  /** A text that changes when the user's password changes. */
  readonly passwordFingerprint: string;
  /** Address ranges from which the user may log in. Absent or empty if the user may log in from everywhere. */
  readonly allowedCIDRs?: readonly string[];
}

export interface PasswordLoginOptions {
  /** Finds a user by object name or login name. Synchronous. */
  find(username: string): PasswordAccount | undefined;
  /**
   * Waits until `find` returns the current state. Rejects if the state cannot be confirmed as current. Absent if no
   * other process writes to the store.
   */
  confirm?(): Promise<void>;
  readonly backoff: LoginBackoff;
  /** Counts failed attempts across all replicas. Absent if there are no other replicas. */
  readonly sharedBackoff?: SharedLoginBackoff;
  /**
   * Acquires a slot for one password hash, with fair queueing between sources. Resolves to a function that releases the
   * slot, or to `undefined` if no slot becomes free before the timeout.
   */
  acquireSlot(source: string, signal: AbortSignal): Promise<(() => void) | undefined>;
  /** Checks the second factor of an account after the correct password. Absent if logins need no second factor. */
  checkSecondFactor?(account: PasswordAccount, attempt: PasswordAttempt): Promise<SecondFactorResult>;
}

export type SecondFactorResult =
  /** `recoveryCodes` is present if the user set up the second factor during this login. */
  | { readonly isPassed: true; readonly recoveryCodes?: readonly string[] }
  /**
   * `response`, if present, asks the client for a code that the client has not sent. In this case, the attempt does not
   * count as failed.
   */
  | { readonly isPassed: false; readonly why: string; readonly response?: Error };

/**
 * A login backoff that several replicas share. Methods are called only after a hashing slot was acquired. The slots
 * therefore also limit the number of backoff records.
 */
export interface SharedLoginBackoff {
  /**
   * Admits a login attempt, or returns the number of milliseconds that the client must wait. An admitted attempt counts
   * as failed until `succeed` or `abandon` is called. `isKnownPair` is the value from the login backoff of this replica
   * (`AdmittedLogin`).
   */
  admit(attempt: LoginAttempt, isKnownPair: boolean): Promise<number | AdmittedSharedLogin>;
}

export interface AdmittedSharedLogin {
  succeed(): Promise<void>;
  abandon(): Promise<void>;
}

export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  readonly source: string;
  readonly signal: AbortSignal;
  /** The code of the second factor. */
  readonly code?: string;
  /** The second factor that the user sets up during this login, in the form in which the server sent it. */
  readonly setup?: string;
}

export type PasswordCheckResult =
  | { readonly account: PasswordAccount; readonly recoveryCodes?: readonly string[] }
  /**
   * The reason and the user are only for the audit log and are not sent to the client. `response`, if present, replaces
   * the usual response.
   */
  | { readonly account?: undefined; readonly why: string; readonly user?: string; readonly response?: Error };

/** A login attempt that was admitted and has a slot for hashing. */
export interface AdmittedPasswordAttempt {
  /** Checks the password. Always computes one hash, so the duration does not reveal whether the account exists. */
  check(): Promise<PasswordCheckResult>;
  /** Releases the slot. Must always be called. An attempt whose password was not checked does not count as failed. */
  release(): void;
}

export interface RejectedPasswordAttempt {
  readonly retryAfterSeconds: number;
  readonly why: string;
}

const busySeconds = 1;

/** Creates the password login, with backoff after failed attempts and a limit on concurrent checks. */
export function createPasswordLogin(
  options: PasswordLoginOptions,
): (attempt: PasswordAttempt) => Promise<AdmittedPasswordAttempt | RejectedPasswordAttempt> {
  return async (sent) => {
    const { username, password, source, signal } = sent;
    const attempt = { account: username, source };
    const admitted = options.backoff.admit(attempt);
    if (typeof admitted === 'number') return tooManyFailures(admitted);
    const release = await options.acquireSlot(source, signal);
    if (release === undefined) {
      admitted.abandon();
      return { retryAfterSeconds: busySeconds, why: 'Too many logins at the same time' };
    }
    let isChecked = false;
    let shared: AdmittedSharedLogin | undefined;
    const releaseAll = () => {
      release();
      if (isChecked) return;
      admitted.abandon();
      // Ignore an error: if the store is not available, the attempt counts as failed.
      void shared?.abandon().catch(() => {});
    };
    try {
      const found = await options.sharedBackoff?.admit(attempt, admitted.isKnownPair);
      if (typeof found === 'number') {
        releaseAll();
        return tooManyFailures(found);
      }
      shared = found;
    } catch (error) {
      releaseAll();
      throw error;
    }
    return {
      async check() {
        await options.confirm?.();
        const account = options.find(username);
        const isRight = await verifyPassword(password, account?.hash ?? decoyHash);
        isChecked = true;
        const why = refusalOf(account, isRight) ?? addressRefusal(account, source);
        if (account === undefined || why !== undefined) {
          return { why: why ?? '', ...(account === undefined ? {} : { user: account.user }) };
        }
        const factor: SecondFactorResult = (await options.checkSecondFactor?.(account, sent)) ?? { isPassed: true };
        if (!factor.isPassed) {
          if (factor.response !== undefined) {
            admitted.abandon();
            await shared?.abandon();
          }
          return { ...factor, user: account.user };
        }
        admitted.succeed();
        await shared?.succeed();
        const { recoveryCodes } = factor;
        return { account, ...(recoveryCodes === undefined ? {} : { recoveryCodes }) };
      },
      release: releaseAll,
    };
  };
}

function tooManyFailures(waitMilliseconds: number): RejectedPasswordAttempt {
  return { retryAfterSeconds: Math.ceil(waitMilliseconds / 1000), why: 'Too many failed logins' };
}

function addressRefusal(account: PasswordAccount | undefined, source: string): string | undefined {
  const { allowedCIDRs = [] } = account ?? {};
  if (allowedCIDRs.length === 0 || compileAddressRanges([allowedCIDRs])(source)) return undefined;
  return `the user may not log in from the address ${source}`;
}

function refusalOf(account: PasswordAccount | undefined, isRight: boolean): string | undefined {
  if (account === undefined) return 'unknown user';
  if (account.hash === undefined) return 'no password is set';
  if (!isRight) return 'wrong password';
  return account.disabled ? 'the user is disabled' : undefined;
}
