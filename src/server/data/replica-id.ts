import { randomBytes } from 'node:crypto';
import { writePrivateFile } from '../../lib/private-file.ts';
import { readIfExists } from '../../process/private-dir.ts';
import { StartError } from '../../process/start-error.ts';

/**
 * Returns the ID of this server among the replicas that share a store. Creates the ID at the first start. The ID stays
 * the same as long as the data directory is kept.
 */
export async function loadReplicaId(path: string): Promise<string> {
  const text = (await readIfExists(path))?.trim();
  if (text === undefined) {
    const id = randomBytes(5).toString('hex');
    await writePrivateFile(path, `${id}\n`);
    return id;
  }
  if (!/^[0-9a-f]{10}$/.test(text))
    throw new StartError(`${path} is damaged: it must contain 10 hexadecimal digits; remove it`);
  return text;
}
