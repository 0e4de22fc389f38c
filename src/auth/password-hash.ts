import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';

/** The parameters of scrypt. */
interface ScryptCost {
  /** The logarithm of N to base 2. */
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/**
 * Slow password hashes: `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. N = 2^15 costs about 50 ms and 32 MiB per guess. The
 * text contains the parameters, so that they can be raised without breaking older hashes.
 */
const cost: ScryptCost = { logN: 15, r: 8, p: 1 };
const hashLength = 32;

/** A hash of no password. It is compared if there is no account, so that the check takes equally long. */
export const decoyHash = `scrypt$${cost.logN}$${cost.r}$${cost.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * The maximum number of concurrent hashes in the process. Node has four threads for hashing and for all file I/O, and
 * half of them must stay free for the store. One processor must stay free for everything else.
 */
export function maxConcurrentHashes(): number {
  return Math.max(1, Math.min(2, availableParallelism() - 1));
}

let running = 0;
/** Callers limit the number of their own hashes that wait here. */
const waiting: (() => void)[] = [];

async function derive(password: string, salt: Buffer, parameters: ScryptCost): Promise<Buffer> {
  if (running >= maxConcurrentHashes()) await new Promise<void>((resolve) => waiting.push(resolve));
  else running += 1;
  try {
    return await runScrypt(password, salt, parameters);
  } finally {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  }
}

function runScrypt(password: string, salt: Buffer, { logN, r, p }: ScryptCost): Promise<Buffer> {
  const N = 2 ** logN;
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFKC'), salt, hashLength, { N, r, p, maxmem: 256 * N * r }, (error, key) => {
      if (error === null) resolve(key);
      else reject(error);
    });
  });
}

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost);
  return `scrypt$${cost.logN}$${cost.r}$${cost.p}$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/** False for a wrong password and for text that is not a hash of this format. */
export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, logN, r, p, salt, hash] = stored.split('$');
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) return false;
  const expected = Buffer.from(hash, 'base64url');
  const actual = await derive(password, Buffer.from(salt, 'base64url'), {
    logN: Number(logN),
    r: Number(r),
    p: Number(p),
  });
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}
