import { methodNotAllowedOnPath, serviceUnavailable } from '../../api/status.ts';
import type { Handler } from '../../http/exchange.ts';
import { toStatusError } from '../../registry/store-status.ts';
import { SealError } from '../../seal/open-sealer.ts';
import type { KeyRotation } from './rotation.ts';

/**
 * Handles `/encryption`. GET returns the state of the encryption at rest. POST rotates the keys and returns the new
 * state.
 */
export function encryptionHandler(rotation: Pick<KeyRotation, 'rotate' | 'status'>): Handler {
  return async ({ request }) => {
    const { method } = request;
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') throw methodNotAllowedOnPath();
    try {
      if (method === 'POST') await rotation.rotate();
      const body = method === 'HEAD' ? '' : JSON.stringify(await rotation.status());
      const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
      return { status: method === 'POST' ? 201 : 200, headers, body };
    } catch (error) {
      if (error instanceof SealError) throw serviceUnavailable(error.message);
      throw toStatusError(error);
    }
  };
}
