import type { Self } from '../../api/management/v1/self.ts';
import { StatusError } from '../../api/status.ts';
import { managementApiVersion, selves } from '../kinds.ts';
import { requestObject } from './objects.ts';
import type { ServerApi } from './server-api.ts';

/**
 * Returns the identity of the caller, as the server reports it; `undefined` if the scope of the access key forbids the
 * request.
 */
export async function fetchSelf(api: ServerApi, signal: AbortSignal): Promise<Self | undefined> {
  const body = { apiVersion: managementApiVersion, kind: selves.kind, metadata: {} };
  return await requestObject(api, selves, {
    method: 'POST',
    path: api.managementPath('selves'),
    body,
    signal,
  }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 403) return undefined;
    throw error;
  });
}
