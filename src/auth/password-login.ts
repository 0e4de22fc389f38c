import type { LoginBackoff } from './login-backoff.ts';
import { decoyHash, verifyPassword } from './password-hash.ts';

/** A user, as logging in looks at one. */
export interface PasswordAccount {
  readonly user: string;
  readonly disabled: boolean;
  /** The slow hash; absent: no password was ever set. */
  readonly hash?: string;
  /** Another text whenever the password is another one. */
  readonly mark: string;
}

export interface PasswordLoginOptions {
  /** By name or username. Must not wait. */
  find(username: string): PasswordAccount | undefined;
  readonly backoff: LoginBackoff;
  /**
   * Room for one run of the slow hash, fairly shared between sources: resolves to how it is given back, or to
   * undefined if there is none to be had in time.
   */
  room(source: string, signal: AbortSignal): Promise<(() => void) | undefined>;
}

export interface PasswordAttempt {
  readonly username: string;
  readonly password: string;
  readonly source: string;
  readonly signal: AbortSignal;
}

export type PasswordOutcome =
  | { readonly account: PasswordAccount }
  /** For the audit log alone; whoever tries learns neither. */
  | { readonly account?: undefined; readonly why: string; readonly user?: string };

/** An attempt that may be made, with room for it. */
export interface EnteredLogin {
  /** One run of the slow hash for every answer, so that how long it takes says nothing about who has an account. */
  check(): Promise<PasswordOutcome>;
  /** Always to be called. An attempt that was not checked counts for nothing. */
  leave(): void;
}

export interface RefusedEntry {
  readonly retryAfterSeconds: number;
  readonly why: string;
}

const busySeconds = 1;

/** Tells whether somebody is who they say, to whoever does not ask too often. */
export function createPasswordLogin(
  options: PasswordLoginOptions,
): (attempt: PasswordAttempt) => Promise<EnteredLogin | RefusedEntry> {
  return async ({ username, password, source, signal }) => {
    const admitted = options.backoff.admit({ account: username, source });
    if (typeof admitted === 'number') {
      return { retryAfterSeconds: Math.ceil(admitted / 1000), why: 'Too many failed logins' };
    }
    const release = await options.room(source, signal);
    if (release === undefined) {
      admitted.givenUp();
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
        admitted.succeeded();
        return { account };
      },
      leave() {
        release();
        if (!isChecked) admitted.givenUp();
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
