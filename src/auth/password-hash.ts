import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { availableParallelism } from 'node:os';

/** The cost parameters of scrypt. */
interface ScryptCost {
  /** The base-2 logarithm of the parameter N. */
  readonly logN: number;
  readonly r: number;
  readonly p: number;
}

/**
 * The cost of new password hashes, which are stored as `scrypt$<log2 N>$<r>$<p>$<salt>$<hash>`. With N = 2^15, each
 * guess takes about 50 ms and 32 MiB. A stored hash contains its parameters, so a higher cost for new hashes does not
 * break older hashes.
 */
const cost: ScryptCost = { logN: 15, r: 8, p: 1 };
const hashLength = 32;

/**
 * A hash that no password matches. For unknown accounts, the password is checked against this hash, so the check takes
 * as long as for known accounts.
 */
export const decoyHash = `scrypt$${cost.logN}$${cost.r}$${cost.p}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/**
 * Returns the maximum number of concurrent password hashes in this process. Node has four threads for hashing and file
 * I/O; half of them must stay free for the store. One processor must stay free for everything else.
 */
export function maxConcurrentHashes(): number {
  return Math.max(1, Math.min(2, availableParallelism() - 1));
}

let running = 0;
/** Hashes that wait for a free slot. Callers limit how many of their own hashes wait. */
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

/** True if the password matches the stored hash. False if the stored text is not a hash of this format. */
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
