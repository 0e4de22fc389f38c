import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nonOwnerPermissions, writePrivateFile } from '../../lib/private-file.ts';
import { cacheFolder } from '../config/config-path.ts';
import type { Environment } from '../environment.ts';
import type { ServerAccess } from './resolve-access.ts';

/**
 * The minimum remaining lifetime, in milliseconds, of a cached token. A token with less time left is not used, because
 * a token must outlast the request.
 */
const expiryMarginMs = 60_000;

/**
 * Returns a token from the cache if that token is still valid, otherwise a new token. The cache saves requests, because
 * kubectl requests a token with every command. Only the user can read the cache file. Its name depends on the access
 * key, so no other login uses the file.
 */
export async function cachedToken(
  environment: Environment,
  access: ServerAccess,
  wanted: object,
  make: () => Promise<string>,
): Promise<string> {
  const folder = join(cacheFolder(environment), 'tokens');
  const digest = createHash('sha256')
    .update(JSON.stringify([access.url, access.apiPrefix, access.accessKey, wanted]))
    .digest('hex');
  const file = join(folder, digest.slice(0, 32));
  const cached = await readCached(file);
  if (cached !== undefined && isValid(cached)) return cached;
  const token = await make();
  if (!isValid(token)) return token;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeExpired(folder);
    await writePrivateFile(file, token);
  } catch {
    // Ignore an error: the token cannot be cached, for example in a read-only home directory. The next command requests
    // a new token.
  }
  return token;
}

/** Returns the expiry of a token in milliseconds since the epoch, from its claims; `undefined` if it has none. */
export function tokenExpiry(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function isValid(token: string): boolean {
  return (tokenExpiry(token) ?? 0) - Date.now() > expiryMarginMs;
}

async function readCached(file: string): Promise<string | undefined> {
  try {
    return (await nonOwnerPermissions(file)) === 0 ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

async function removeExpired(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const cached = await readCached(file);
    if (cached === undefined || !isValid(cached)) await rm(file, { force: true });
  }
}
