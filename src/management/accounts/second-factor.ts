import { randomInt } from 'node:crypto';
import { matchingTotpStep } from '../../auth/totp.ts';
import type { Sealer } from '../../seal/sealer.ts';
import { hiddenSecondFactor, type UserHidden } from '../identities/user-hidden.ts';

const totpSecretPurpose = 'user-totp-secret';
const recoveryCodePurpose = 'user-recovery-code';

const recoveryCodeCount = 10;
const recoveryCodeLength = 10;
/**
 * Letters and digits that people do not confuse. A code has 49 random bits, so it cannot be guessed at the rate that
 * the login backoff permits.
 */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

type Sealing = Pick<Sealer, 'seal' | 'open' | 'hash'>;

/** True if the user has set up a second factor. `hidden` is the hidden part of the User object. */
export function hasSecondFactor(hidden: UserHidden | undefined): boolean {
  return hidden?.[hiddenSecondFactor] !== undefined;
}

/** Returns the number of recovery codes that the user can still use. */
export function recoveryCodesLeft(hidden: UserHidden | undefined): number {
  return hashesOf(hidden).length;
}

/**
 * Sets up the second factor and returns its recovery codes, which cannot be read again later. `step` is the time step
 * of the code with which the user proved that the authenticator app contains the secret.
 */
export function setSecondFactor(
  hidden: UserHidden,
  { secret, step }: { readonly secret: string; readonly step: number },
  sealer: Sealing,
): readonly string[] {
  const codes = Array.from({ length: recoveryCodeCount }, generateRecoveryCode);
  hidden[hiddenSecondFactor] = {
    secret: sealer.seal(totpSecretPurpose, secret),
    lastStep: step,
    recoveryCodes: codes.map((code) => recoveryHash(code, sealer)),
  };
  return codes;
}

export function removeSecondFactor(hidden: UserHidden): void {
  delete hidden[hiddenSecondFactor];
}

/**
 * Checks a code of the authenticator app or a recovery code, and marks it as used. Returns false, and changes nothing,
 * if the code is wrong or was already used.
 */
export function spendSecondFactorCode(
  hidden: UserHidden,
  { code, now }: { readonly code: string; readonly now: number },
  sealer: Sealing,
): boolean {
  const stored = hidden[hiddenSecondFactor];
  if (stored === undefined) return false;
  const secret = sealer.open(totpSecretPurpose, stored.secret);
  const step = matchingTotpStep(secret, code, now);
  if (step !== undefined && step > stored.lastStep) {
    hidden[hiddenSecondFactor] = { ...stored, lastStep: step };
    return true;
  }
  const hashes = hashesOf(hidden);
  const left = hashes.filter((hash) => hash !== recoveryHash(code, sealer));
  if (left.length === hashes.length) return false;
  hidden[hiddenSecondFactor] = { ...stored, recoveryCodes: [...left] };
  return true;
}

function hashesOf(hidden: UserHidden | undefined): readonly string[] {
  return hidden?.[hiddenSecondFactor]?.recoveryCodes ?? [];
}

/** The hash is keyed, so the codes cannot be guessed from a copy of the store. */
function recoveryHash(code: string, sealer: Sealing): string {
  return sealer.hash(recoveryCodePurpose, code.toLowerCase().replace(/[\s-]/g, ''));
}

function generateRecoveryCode(): string {
  const letters = Array.from(
    { length: recoveryCodeLength },
    () => recoveryAlphabet[randomInt(recoveryAlphabet.length)],
  );
  return `${letters.slice(0, 5).join('')}-${letters.slice(5).join('')}`;
}
