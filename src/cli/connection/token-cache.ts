import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openToOthers, writePrivateFile } from '../../lib/private-file.ts';
import type { Environment } from '../command-call.ts';
import { cacheFolder } from '../config/config-path.ts';
import type { Access } from './resolve-access.ts';

/** A token that is about to end is not handed out any more: a request takes its time. */
const margin = 60_000;

/**
 * A token for kubectl, which asks with every command: the one from last time as long as it is good. It lies in a file for
 * its owner alone, under a name that the key is part of, so another login never finds it.
 */
export async function tokenCache(
  environment: Environment,
  access: Access,
  wanted: object,
  make: () => Promise<string>,
): Promise<string> {
  const folder = join(cacheFolder(environment), 'tokens');
  const mark = createHash('sha256')
    .update(JSON.stringify([access.url, access.apiPrefix, access.accessKey, wanted]))
    .digest('hex');
  const file = join(folder, mark.slice(0, 32));
  const kept = await readKept(file);
  if (kept !== undefined && isGood(kept)) return kept;
  const token = await make();
  if (!isGood(token)) return token;
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeEnded(folder);
    await writePrivateFile(file, token);
  } catch {
    // A home that cannot be written to costs a request each time, and nothing else.
  }
  return token;
}

/** When a token ends, by what it says itself; undefined: it does not say. */
export function endOf(token: string): number | undefined {
  const [, payload, signature] = token.split('.');
  if (payload === undefined || signature === undefined) return undefined;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : undefined;
  } catch {
    return undefined;
  }
}

function isGood(token: string): boolean {
  return (endOf(token) ?? 0) - Date.now() > margin;
}

async function readKept(file: string): Promise<string | undefined> {
  try {
    return (await openToOthers(file)) === 0 ? await readFile(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

async function removeEnded(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = join(folder, name);
    const kept = await readKept(file);
    if (kept === undefined || !isGood(kept)) await rm(file, { force: true });
  }
}
