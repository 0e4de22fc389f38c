import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { FlotillaProcess } from '../../harness/flotilla-process.ts';

export interface VirtualClusterResponse {
  readonly status: number;
  readonly text: string;
}

/** Requests to virtual clusters through the gateway, outside the browser. */
export interface VirtualClusterApi {
  /** `path` is below the API root of the virtual cluster; `token` defaults to the administrator's key. */
  request(
    virtualCluster: string,
    path: string,
    options?: {
      readonly method?: string;
      readonly document?: unknown;
      readonly token?: string;
      /** The project of the virtual cluster. Defaults to `default`. */
      readonly project?: string;
    },
  ): Promise<VirtualClusterResponse>;
  close(): Promise<void>;
}

export function virtualClusterApi(flotilla: FlotillaProcess): VirtualClusterApi {
  const dispatcher = new Agent({ connect: { ca: readFileSync(join(flotilla.dataDirectory, 'ca.crt')) } });
  return {
    async request(
      virtualCluster,
      path,
      { method = 'GET', document, token = flotilla.adminKey, project = 'default' } = {},
    ) {
      const root = `${flotilla.url}/kubernetes/project/${project}/virtualcluster/${virtualCluster}`;
      const { statusCode, body } = await request(`${root}${path}`, {
        method: method as 'GET',
        dispatcher,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        },
        ...(document === undefined ? {} : { body: JSON.stringify(document) }),
      });
      return { status: statusCode, text: await body.text() };
    },
    close: () => dispatcher.destroy(),
  };
}
