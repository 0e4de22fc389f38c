import { tooManyRequests } from '../../../api/status.ts';
import type { LoginAttempt, LoginBackoff } from '../../../auth/login-backoff.ts';
import type { SharedLoginBackoff } from '../../../auth/password-login.ts';

export interface GuessLimitOptions {
  readonly backoff: LoginBackoff;
  /** Counts the failed logins at all replicas. Absent if there are no other replicas. */
  readonly sharedBackoff?: SharedLoginBackoff | undefined;
}

/**
 * Looks up a code that a client presents. An unknown code counts as a failed login of the account and the source. A
 * known code does not reset the count, because attackers can create codes of their own. Throws 429 if the client must
 * still wait after earlier failures.
 */
export async function findWithGuessLimit<T>(
  { backoff, sharedBackoff }: GuessLimitOptions,
  attempt: LoginAttempt,
  find: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const admitted = backoff.admit(attempt);
  if (typeof admitted === 'number') throw tooManyGuesses(admitted);
  let isUnknown = false;
  let abandonShared = async () => {};
  try {
    const shared = await sharedBackoff?.admit(attempt, admitted.isKnownPair);
    if (typeof shared === 'number') throw tooManyGuesses(shared);
    if (shared !== undefined) abandonShared = () => shared.abandon();
    const found = await find();
    isUnknown = found === undefined;
    return found;
  } finally {
    if (!isUnknown) {
      admitted.abandon();
      // If the store is not available, the attempt counts as failed.
      await abandonShared().catch(() => {});
    }
  }
}

function tooManyGuesses(waitMilliseconds: number): Error {
  return tooManyRequests('Too many unknown codes, please try again later.', Math.ceil(waitMilliseconds / 1000));
}
