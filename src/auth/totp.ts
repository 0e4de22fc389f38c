import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The length of a time step in seconds. All common authenticator apps support this value and codes with six digits. */
const stepSeconds = 30;
const digits = 6;
/**
 * Because clocks differ, codes of neighboring time steps are also accepted: this number of steps before the current
 * step, and the same number after it.
 */
const window = 1;
const secretBytes = 20;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** Returns a new secret as base32 text without padding. */
export function generateTotpSecret(): string {
  return base32(randomBytes(secretBytes));
}

/** Returns bytes as base32 text without padding (RFC 4648). */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let [bits, value] = [0, 0];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += alphabet[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31];
}

/** Returns the bytes of base32 text. Ignores characters that are not part of its alphabet. */
function fromBase32(text: string): Buffer {
  const bytes: number[] = [];
  let [bits, value] = [0, 0];
  for (const character of text.toUpperCase()) {
    const index = alphabet.indexOf(character);
    if (index < 0) continue;
    value = ((value << 5) | index) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((value >> bits) & 255);
  }
  return Buffer.from(bytes);
}

/** Returns the code of a time step (RFC 6238 with SHA-1, which is HOTP of RFC 4226 with the step as the counter). */
export function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/** Returns the time step at a time in milliseconds since the epoch. */
export function totpStepAt(milliseconds: number): number {
  return Math.floor(milliseconds / 1000 / stepSeconds);
}

/**
 * Returns the time step that the code belongs to; `undefined` if it belongs to no step near `milliseconds`. The caller
 * must refuse a step that is not newer than the last used step, because each code is valid only once.
 */
export function matchingTotpStep(secret: string, code: string, milliseconds: number): number | undefined {
  const sent = Buffer.from(code.replace(/\s/g, ''));
  if (sent.length !== digits) return undefined;
  const now = totpStepAt(milliseconds);
  let found: number | undefined;
  for (let step = Math.max(0, now - window); step <= now + window; step++) {
    if (timingSafeEqual(Buffer.from(totpCode(secret, step)), sent)) found = step;
  }
  return found;
}

/** Returns the URI that authenticator apps read, as text or as a QR code. */
export function totpUri(secret: string, { issuer, account }: { readonly issuer: string; readonly account: string }) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = new URLSearchParams({
    secret,
    issuer,
    algorithm: 'SHA1',
    digits: `${digits}`,
    period: `${stepSeconds}`,
  });
  return `otpauth://totp/${label}?${query.toString().replaceAll('+', '%20')}`;
}
