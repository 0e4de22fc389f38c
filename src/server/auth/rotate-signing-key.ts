import { json } from 'node:stream/consumers';
import { isJsonObject, textAt } from '@flotilla/json';
import { systemClock } from '../../lib/clock.ts';
import { defaultManagementSettings } from '../../management/settings.ts';
import { fileExists } from '../../process/private-dir.ts';
import {
  makeSigningKey,
  readSigningKeyFile,
  rotateKeySet,
  writeSigningKeyFile,
} from '../../process/signing-key-file.ts';
import { StartError } from '../../process/start-error.ts';
import { ServerUnreachableError, sendAdminRequest } from '../admin-request.ts';
import { type DataDir, dataDirAt } from '../data/data-dir.ts';
import { installationKey } from '../data/installation.ts';
import { openStoreIfUnused } from '../data/open-store-if-unused.ts';
import { readAdminAccess } from '../kubeconfig.ts';
import { defaultDataDir } from '../settings/flags.ts';

export interface RotateOptions {
  readonly dataDir?: string | undefined;
  /** True to revoke all tokens that older keys signed. Use it if a key may be compromised. */
  readonly revoke?: boolean | undefined;
}

/**
 * Runs `flotilla rotate-signing-key`: creates a signing key that signs all new tokens. Returns the message to print.
 */
export async function rotateSigningKey({ dataDir = defaultDataDir, revoke = false }: RotateOptions): Promise<string> {
  const dir = dataDirAt(dataDir);
  const kid = await rotate(dir, revoke);
  return [
    `new tokens are signed with key ${kid}`,
    revoke
      ? 'Older keys are revoked; tokens that they signed are no longer valid.'
      : 'Older keys no longer sign; they stay published until their last token expires.',
    '',
  ].join('\n');
}

/**
 * Rotates the signing key and returns the ID of the new key. If a server runs, sends a request to it; otherwise writes
 * the key file itself.
 */
async function rotate(dir: DataDir, revoke: boolean): Promise<string> {
  const store = await openStoreIfUnused(dir);
  if (store !== undefined) {
    try {
      if ((await store.get(installationKey('signing-keys'))) !== undefined) {
        throw new StartError(
          `the signing keys of ${dir.path} were copied from etcd and are not in signing.key yet; start the server once, then run this command again`,
        );
      }
      return await rotateFile(dir, revoke);
    } finally {
      await store.close();
    }
  }
  const access = await readAdminAccess(dir.adminKubeconfig);
  if (access === undefined) throw await noAccess(dir);
  try {
    const path = `/auth/signing-keys${revoke ? '?revoke=true' : ''}`;
    const description = 'the rotation of the signing key';
    return await sendAdminRequest(access, { method: 'POST', path, description }, async (body) => {
      const answer: unknown = await json(body);
      return isJsonObject(answer) ? textAt(answer, 'kid') : '';
    });
  } catch (error) {
    if (!(error instanceof ServerUnreachableError) || (await fileExists(dir.store))) throw error;
    // A missing installation file means that the server uses a memory store, so its signing keys are in a file.
    if (!(await fileExists(dir.installation))) return await rotateFile(dir, revoke);
    throw new StartError(`${error.message}; the signing keys are in etcd, so a server must run to rotate them`, {
      cause: error,
    });
  }
}

async function noAccess(dir: DataDir): Promise<StartError> {
  if (!(await fileExists(dir.installation))) return new StartError(`no signing key in ${dir.path}`);
  return new StartError(
    `there is no admin.kubeconfig in ${dir.path}; use the data directory of the server that created the installation`,
  );
}

async function rotateFile(dir: DataDir, revoke: boolean): Promise<string> {
  const set = await readSigningKeyFile(dir.signingKey);
  if (set === undefined) throw new StartError(`no signing key in ${dir.path}`);
  // A server whose maximum token lifetime is longer than the default has written that lifetime to the key file.
  const longestTTL = set.current.longestTTL ?? defaultManagementSettings.gateway.maxTokenTTL;
  const next = rotateKeySet(set, await makeSigningKey(longestTTL), { now: systemClock.now(), longestTTL, revoke });
  await writeSigningKeyFile(dir.signingKey, next);
  return next.current.kid;
}
