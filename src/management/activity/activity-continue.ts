import { badRequest } from '../../api/status.ts';
import type { Sealer } from '../../seal/sealer.ts';
import type { ActivityPlace } from './activity-log.ts';

const purpose = 'continue token of activity records';
/** All tokens have about the same length, so that it tells nothing about the place. */
const paddedLength = 256;

/**
 * Encodes the place after which a list continues. The place may be that of a record that the caller may not read, so the token is
 * sealed: it would show the name of a project and the time at which somebody changed something there. `listed` is the namespace
 * of the list, or '' for all namespaces.
 */
export function encodePlace(sealer: Sealer, listed: string, { namespace, name }: ActivityPlace): string {
  return sealer.seal(purpose, JSON.stringify([listed, namespace, name]).padEnd(paddedLength));
}

/** Decodes a token. Throws 400 for a token that this installation has not made for this list. */
export function decodePlace(sealer: Sealer, listed: string, token: string): ActivityPlace {
  const [list, namespace, name] = opened(sealer, token);
  if (list !== listed || namespace === undefined || name === undefined) {
    throw badRequest('invalid continue token: it does not belong to this list');
  }
  return { namespace, name };
}

function opened(sealer: Sealer, token: string): readonly string[] {
  try {
    return JSON.parse(sealer.open(purpose, token)) as string[];
  } catch {
    return [];
  }
}
