import { numberAt, parseTrustedJson, textAt, writeJson } from '@flotilla/json';
import type { SecondFactorSetup } from '../../../api/second-factor.ts';
import { generateTotpSecret, matchingTotpStep, totpUri } from '../../../auth/totp.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Sealer } from '../../../seal/sealer.ts';

export interface SetupOptions {
  readonly sealer: Pick<Sealer, 'seal' | 'open'>;
  readonly clock: Clock;
}

const setupPurpose = 'totp-setup';
/** The lifetime of a setup: enough time to install an authenticator app. */
const setupMilliseconds = 15 * 60_000;

/**
 * Starts to set up a second factor. The server stores nothing: the client keeps the sealed secret until it sends the
 * first code, so any replica can complete the setup.
 */
export function startSetup(user: string, { sealer, clock }: SetupOptions): SecondFactorSetup {
  const secret = generateTotpSecret();
  const expires = clock.now() + setupMilliseconds;
  return {
    secret,
    uri: totpUri(secret, { issuer: 'Flotilla', account: user }),
    setup: sealer.seal(setupPurpose, writeJson({ user, secret, expires })),
  };
}

/**
 * Returns the secret of a setup and the time step of its first code; `undefined` if the setup or the code is not valid.
 */
export function completeSetup(
  user: string,
  { setup, code }: { readonly setup: string; readonly code: string },
  { sealer, clock }: SetupOptions,
): { readonly secret: string; readonly step: number } | undefined {
  const now = clock.now();
  let stored: ReturnType<typeof parseTrustedJson>;
  try {
    stored = parseTrustedJson(sealer.open(setupPurpose, setup));
  } catch {
    return undefined;
  }
  if (textAt(stored, 'user') !== user || (numberAt(stored, 'expires') ?? 0) < now) return undefined;
  const secret = textAt(stored, 'secret');
  const step = matchingTotpStep(secret, code, now);
  return step === undefined ? undefined : { secret, step };
}
