import { badRequest } from '../../api/status.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { ActivityRecordKey } from './activity-log.ts';

const purpose = 'continue token of activity records';
/** All tokens have about the same length, so that the length reveals nothing about the record. */
const paddedLength = 256;

/**
 * Encodes the key of the last record of a page as a `continue` token. The token is sealed, because the caller may not
 * be permitted to read that record, and the key contains the name of its project and the time of the change. `listed`
 * is the namespace of the list, or '' for all namespaces.
 */
export function encodeContinueToken(sealer: Sealer, listed: string, { namespace, name }: ActivityRecordKey): string {
  return sealer.seal(purpose, JSON.stringify([listed, namespace, name]).padEnd(paddedLength));
}

/** Decodes a `continue` token. Throws 400 unless this installation created the token for this list. */
export function decodeContinueToken(sealer: Sealer, listed: string, token: string): ActivityRecordKey {
  const [list, namespace, name] = unsealed(sealer, token);
  if (list !== listed || namespace === undefined || name === undefined) {
    throw badRequest('invalid continue token: it does not belong to this list');
  }
  return { namespace, name };
}

function unsealed(sealer: Sealer, token: string): readonly string[] {
  try {
    return JSON.parse(sealer.open(purpose, token)) as string[];
  } catch {
    return [];
  }
}
