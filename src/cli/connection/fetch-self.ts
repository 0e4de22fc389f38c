import { StatusError } from '../../api/status.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { managementApiVersion } from '../kinds.ts';
import type { ServerApi } from './server-api.ts';

/**
 * Returns the identity of the caller as the server reports it; `undefined` if the scope of the key forbids the request.
 */
export async function fetchSelf(api: ServerApi, signal: AbortSignal): Promise<JsonObject | undefined> {
  const body = { apiVersion: managementApiVersion, kind: 'Self', metadata: {} };
  return await api
    .json({ method: 'POST', path: api.managementPath('selves'), body, signal })
    .catch((error: unknown) => {
      if (error instanceof StatusError && error.code === 403) return undefined;
      throw error;
    });
}
