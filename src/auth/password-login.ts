import type { LoginBackoff } from './login-backoff.ts';
import { decoyHash, verifyPassword } from './password-hash.ts';

/** The fields of a user that a login needs. */
export interface PasswordAccount {
  readonly user: string;
  readonly disabled: boolean;
  /** The slow hash. Absent if no password is set. */
  readonly hash?: string;
  /** Changes with the password. */
  readonly passwordFingerprint: string;
}

export interface PasswordLoginOptions {
  /** Finds a user by name or username. Synchronous. */
  find(username: string): PasswordAccount | undefined;
  readonly backoff: LoginBackoff;
  /**
   * Acquires a slot for one run of the slow hash, with fair queueing between sources. Resolves to the release function,
   * `undefined` if no slot becomes free in time.
   */
  acquireSlot(source: string, signal: AbortSignal): Promise<(() => void) | undefined>;
}

export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  readonly source: string;
  readonly signal: AbortSignal;
}

export type PasswordCheckResult =
  | { readonly account: PasswordAccount }
  /** For the audit log only; the client learns neither the reason nor the user. */
  | { readonly account?: undefined; readonly why: string; readonly user?: string };

/** An admitted login attempt that holds a slot. */
export interface AdmittedPasswordAttempt {
  /** Runs the slow hash once in every case, so that the duration does not reveal whether the account exists. */
  check(): Promise<PasswordCheckResult>;
  /** Releases the slot; must always be called. An attempt that was not checked does not count as failed. */
  release(): void;
}

export interface RejectedPasswordAttempt {
  readonly retryAfterSeconds: number;
  readonly why: string;
}

const busySeconds = 1;

/** Verifies passwords, with backoff after failed attempts and a limit on concurrent checks. */
export function createPasswordLogin(
  options: PasswordLoginOptions,
): (attempt: PasswordAttempt) => Promise<AdmittedPasswordAttempt | RejectedPasswordAttempt> {
  return async ({ username, password, source, signal }) => {
    const admitted = options.backoff.admit({ account: username, source });
    if (typeof admitted === 'number') {
      return { retryAfterSeconds: Math.ceil(admitted / 1000), why: 'Too many failed logins' };
    }
    const release = await options.acquireSlot(source, signal);
    if (release === undefined) {
      admitted.abandon();
      return { retryAfterSeconds: busySeconds, why: 'Too many logins at the same time' };
    }
    let isChecked = false;
    return {
      async check() {
        const account = options.find(username);
        const isRight = await verifyPassword(password, account?.hash ?? decoyHash);
        isChecked = true;
        const why = refusalOf(account, isRight);
        if (account === undefined || why !== undefined) {
          return { why: why ?? '', ...(account === undefined ? {} : { user: account.user }) };
        }
        admitted.succeed();
        return { account };
      },
      release() {
        release();
        if (!isChecked) admitted.abandon();
      },
    };
  };
}

function refusalOf(account: PasswordAccount | undefined, isRight: boolean): string | undefined {
  if (account === undefined) return 'unknown user';
  if (account.hash === undefined) return 'no password is set';
  if (!isRight) return 'wrong password';
  return account.disabled ? 'the user is disabled' : undefined;
}
