import type { Self } from '../../api/management/v1/self.ts';
import { apiWord, managementGroupOf, managementVersion } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import { selves } from '../kinds.ts';
import { requestObject } from './objects.ts';
import type { ServerApi } from './server-api.ts';

/**
 * Returns the identity of the caller, as the server reports it; `undefined` if the scope of the access key forbids the
 * request. During a login, `word` is the API word of the server, which may differ from the API word of this process.
 */
export async function fetchSelf(api: ServerApi, signal: AbortSignal, word = apiWord): Promise<Self | undefined> {
  const apiVersion = `${managementGroupOf(word)}/${managementVersion}`;
  const body = { apiVersion, kind: selves.kind, metadata: {} };
  return await requestObject(api, selves, {
    method: 'POST',
    path: `/${api.access.apiPrefix}/management/apis/${apiVersion}/selves`,
    body,
    signal,
  }).catch((error: unknown) => {
    if (error instanceof StatusError && error.code === 403) return undefined;
    throw error;
  });
}
