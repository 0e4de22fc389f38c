import {
  type SecondFactorPolicy,
  type SecondFactorSetup,
  secondFactorCause,
  secondFactorSetupCause,
} from '../../../api/second-factor.ts';
import { type StatusCause, StatusError, unauthorized } from '../../../api/status.ts';
import type { LoginBackoff } from '../../../auth/login-backoff.ts';
import type { PasswordAttempt, SecondFactorResult, SharedLoginBackoff } from '../../../auth/password-login.ts';
import { hasSecondFactor, setSecondFactor, spendSecondFactorCode } from '../../../management/accounts/second-factor.ts';
import { writeAccount } from '../../../management/accounts/write-account.ts';
import type { ManagementState } from '../../../management/state.ts';
import type { KindStores } from '../../../registry/kind-stores.ts';
import type { Sealer } from '../../../seal/sealer.ts';
import { completeSetup, type SetupOptions, startSetup } from './second-factor-setup.ts';

export interface SecondFactorOptions extends SetupOptions {
  readonly policy: SecondFactorPolicy;
  readonly kinds: KindStores;
  readonly state: Pick<ManagementState, 'userHidden'>;
  readonly sealer: Pick<Sealer, 'seal' | 'open' | 'hash'>;
  readonly backoff: LoginBackoff;
  /** Counts the failed logins at all replicas. Absent if there are no other replicas. */
  readonly sharedBackoff?: SharedLoginBackoff | undefined;
}

const passed: SecondFactorResult = { isPassed: true };

/** Checks the second factor of a login whose password was correct. */
export async function checkSecondFactor(
  user: string,
  { code = '', setup = '' }: Pick<PasswordAttempt, 'code' | 'setup'>,
  options: SecondFactorOptions,
): Promise<SecondFactorResult> {
  const { policy, state } = options;
  if (policy === 'off') return passed;
  if (hasSecondFactor(state.userHidden(user))) {
    if (code === '') return refused('the code of the second factor is missing', codeRequired());
    return (await spendCode(user, code, options)) ? passed : refused('wrong code of the second factor');
  }
  if (policy === 'optional') return passed;
  if (code === '' || setup === '')
    return refused('the user has no second factor', setupRequired(startSetup(user, options)));
  const recoveryCodes = await finishSetup(user, { code, setup }, options);
  return recoveryCodes === undefined ? refused('wrong code of a new second factor') : { isPassed: true, recoveryCodes };
}

/**
 * Uses up a code. One write both checks the code and records its use, so a code is accepted only once, even if several
 * replicas receive it. Returns false if the code is wrong, or if too many wrong codes were sent for the user.
 */
export async function spendCode(user: string, code: string, options: SecondFactorOptions): Promise<boolean> {
  const { kinds, sealer, clock } = options;
  return await guarded(user, options, async () => {
    const wrong = unauthorized();
    try {
      await writeAccount(kinds, {
        user,
        change(hidden) {
          if (!spendSecondFactorCode(hidden, { code, now: clock.now() }, sealer)) throw wrong;
        },
      });
      return true;
    } catch (error) {
      if (error === wrong) return false;
      throw error;
    }
  });
}

/**
 * Completes the setup of a second factor. Returns the recovery codes; `undefined` if the code is wrong, or if the user
 * already has another second factor.
 */
export async function finishSetup(
  user: string,
  sent: { readonly code: string; readonly setup: string },
  options: SecondFactorOptions,
): Promise<readonly string[] | undefined> {
  const found = completeSetup(user, sent, options);
  if (found === undefined) return undefined;
  let recoveryCodes: readonly string[] = [];
  const taken = unauthorized();
  try {
    await writeAccount(options.kinds, {
      user,
      change(hidden) {
        if (hasSecondFactor(hidden)) throw taken;
        recoveryCodes = setSecondFactor(hidden, found, options.sealer);
      },
    });
  } catch (error) {
    if (error === taken) return undefined;
    throw error;
  }
  return recoveryCodes;
}

/**
 * Limits the wrong codes of a user, counted for all addresses together. This limit is stricter than the limit for
 * passwords. It can be, because only a person with the password can send codes and thus make the user wait.
 */
async function guarded(
  user: string,
  { backoff, sharedBackoff }: SecondFactorOptions,
  check: () => Promise<boolean>,
): Promise<boolean> {
  const attempt = { account: `second factor of ${user}`, source: '' };
  const admitted = backoff.admit(attempt);
  if (typeof admitted === 'number') return false;
  const shared = await sharedBackoff?.admit(attempt, true);
  if (typeof shared === 'number') return false;
  const isRight = await check();
  if (isRight) {
    admitted.succeed();
    await shared?.succeed();
  }
  return isRight;
}

/**
 * Returns a refusal. With `response`, the refusal does not count as a failed login, because the password was right and
 * no code was sent.
 */
function refused(why: string, response?: StatusError): SecondFactorResult {
  return { isPassed: false, why, ...(response === undefined ? {} : { response }) };
}

function codeRequired(): StatusError {
  const message = 'the login needs the code of the second factor; send the request again with the member "code"';
  return withCauses(message, [{ reason: secondFactorCause, message }]);
}

function setupRequired(setup: SecondFactorSetup): StatusError {
  const message =
    'the server requires a second factor, and the user has none; add the secret to an authenticator app, and send the request again with the members "setup" and "code"';
  const fields = Object.entries(setup).map(([field, value]) => ({
    reason: secondFactorSetupCause,
    field,
    message: value,
  }));
  return withCauses(message, fields);
}

function withCauses(message: string, causes: StatusCause[]): StatusError {
  return new StatusError({ ...unauthorized().status, message, details: { causes } });
}
