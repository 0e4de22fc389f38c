import { json } from 'node:stream/consumers';
import { systemClock } from '../lib/clock.ts';
import { textAt } from '../lib/json-path.ts';
import { isJsonObject } from '../lib/json-value.ts';
import { defaultSettings } from '../management/settings.ts';
import { exists } from '../process/private-dir.ts';
import { makeSigningKey, readSigningKeyFile, rotated, writeSigningKeyFile } from '../process/signing-key-file.ts';
import { StartError } from '../process/start-error.ts';
import { askServer, NoServerError } from './ask-server.ts';
import { type DataDir, dataDirAt } from './data-dir.ts';
import { defaultDataDir } from './flags.ts';
import { readAdminAccess } from './kubeconfig.ts';
import { openUnheldStore } from './unheld-store.ts';

export interface RotateOptions {
  readonly dataDir?: string | undefined;
  /** The tokens of all older keys end at once: for a key that somebody else may have. */
  readonly revoke?: boolean | undefined;
}

/** `flotilla rotate-signing-key`: another key signs from now on. Returns what to tell the user. */
export async function rotateSigningKey({ dataDir = defaultDataDir, revoke = false }: RotateOptions): Promise<string> {
  const dir = dataDirAt(dataDir);
  const kid = await rotate(dir, revoke);
  return [
    `tokens are signed with the key ${kid} from now on`,
    revoke
      ? 'The older keys are revoked: the tokens that they signed are no longer valid.'
      : 'The older keys sign no more; they stay published until the last token that they signed has ended.',
    '',
  ].join('\n');
}

/** In the file itself if no server holds the directory, otherwise by the server that does. */
async function rotate(dir: DataDir, revoke: boolean): Promise<string> {
  const store = await openUnheldStore(dir);
  if (store !== undefined) {
    try {
      return await rotateFile(dir, revoke);
    } finally {
      await store.close();
    }
  }
  const access = await readAdminAccess(dir.adminKubeconfig);
  if (access === undefined) throw new StartError(`there is no signing key in ${dir.path}`);
  try {
    const path = `/auth/signing-keys${revoke ? '?revoke=true' : ''}`;
    const what = 'to rotate the signing key';
    return await askServer(access, { method: 'POST', path, what }, async (body) => {
      const answer: unknown = await json(body);
      return isJsonObject(answer) ? textAt(answer, 'kid') : '';
    });
  } catch (error) {
    // A server that keeps its store in memory leaves nothing that would tell whether it still runs.
    if (error instanceof NoServerError && !(await exists(dir.store))) return await rotateFile(dir, revoke);
    throw error;
  }
}

async function rotateFile(dir: DataDir, revoke: boolean): Promise<string> {
  const set = await readSigningKeyFile(dir.signingKey);
  if (set === undefined) throw new StartError(`there is no signing key in ${dir.path}`);
  // A server that may give tokens a longer life has written so into the file when it started.
  const longestTTL = set.current.longestTTL ?? defaultSettings.gateway.maxTokenTTL;
  const next = rotated(set, await makeSigningKey(longestTTL), { now: systemClock.now(), longestTTL, revoke });
  await writeSigningKeyFile(dir.signingKey, next);
  return next.current.kid;
}
