import { randomInt } from 'node:crypto';
import { isJsonObject, type JsonObject, numberAt, textAt } from '@flotilla/json';
import { matchingTotpStep } from '../../auth/totp.ts';
import type { Sealer } from '../../seal/sealer.ts';

/**
 * Member of the hidden part of a user: the second factor. `secret` is sealed, `lastStep` is the time step of the last
 * accepted code, and `recoveryCodes` are keyed hashes of the codes that are left.
 */
const hiddenSecondFactor = 'secondFactor';
const totpSecretPurpose = 'user-totp-secret';
const recoveryCodePurpose = 'user-recovery-code';

const recoveryCodeCount = 10;
const recoveryCodeLength = 10;
/** Letters and digits that people do not confuse. A code has 49 bits, which nobody can guess within the login backoff. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';

type Sealing = Pick<Sealer, 'seal' | 'open' | 'hash'>;

/** True if the user with this hidden part has set up a second factor. */
export function hasSecondFactor(hidden: JsonObject | undefined): boolean {
  return isJsonObject(hidden?.[hiddenSecondFactor]);
}

/** Returns the number of recovery codes that the user can still use. */
export function recoveryCodesLeft(hidden: JsonObject | undefined): number {
  return hashesOf(hidden).length;
}

/**
 * Sets up the second factor and returns its recovery codes, which only this call returns. `step` is the time step of the
 * code with which the user proved that the app has the secret.
 */
export function setSecondFactor(
  hidden: JsonObject,
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

export function removeSecondFactor(hidden: JsonObject): void {
  delete hidden[hiddenSecondFactor];
}

/**
 * Uses up a code of the app or a recovery code. Returns false, and changes nothing, if the code is wrong or was already
 * used.
 */
export function spendSecondFactorCode(
  hidden: JsonObject,
  { code, now }: { readonly code: string; readonly now: number },
  sealer: Sealing,
): boolean {
  const stored = hidden[hiddenSecondFactor];
  if (!isJsonObject(stored)) return false;
  const secret = sealer.open(totpSecretPurpose, textAt(stored, 'secret'));
  const step = matchingTotpStep(secret, code, now);
  if (step !== undefined && step > (numberAt(stored, 'lastStep') ?? 0)) {
    hidden[hiddenSecondFactor] = { ...stored, lastStep: step };
    return true;
  }
  const hashes = hashesOf(hidden);
  const left = hashes.filter((hash) => hash !== recoveryHash(code, sealer));
  if (left.length === hashes.length) return false;
  hidden[hiddenSecondFactor] = { ...stored, recoveryCodes: [...left] };
  return true;
}

function hashesOf(hidden: JsonObject | undefined): readonly string[] {
  const stored = hidden?.[hiddenSecondFactor];
  const codes = isJsonObject(stored) ? stored.recoveryCodes : undefined;
  return Array.isArray(codes) ? codes.filter((code) => typeof code === 'string') : [];
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
