import { StatusError } from '../../api/status.ts';
import type { JsonObject } from '../../lib/json-value.ts';
import { managementApiVersion } from '../kinds.ts';
import type { ServerApi } from './server-api.ts';

/** Who the key is, as the server says; undefined: it is a good key whose scope does not let it ask. */
export async function whoIs(api: ServerApi, signal: AbortSignal): Promise<JsonObject | undefined> {
  const body = { apiVersion: managementApiVersion, kind: 'Self', metadata: {} };
  return await api
    .json({ method: 'POST', path: api.managementPath('selves'), body, signal })
    .catch((error: unknown) => {
      if (error instanceof StatusError && error.code === 403) return undefined;
      throw error;
    });
}
