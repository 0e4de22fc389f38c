import type { Fetch } from '../../../client/http-client.ts';

const form = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

/**
 * Wraps `fetch` so that Kubernetes returns only the metadata of objects. The contents of secrets then never reach this
 * server, and the contents of pods need not be parsed.
 */
export function metadataOnlyFetch(fetch: Fetch): Fetch {
  return (url, init) => {
    if (init.method !== 'GET') return fetch(url, init);
    const { pathname, searchParams } = new URL(url, 'https://host');
    const isOne = searchParams.has('watch') || !isCollection(pathname);
    const accept = form(isOne ? 'PartialObjectMetadata' : 'PartialObjectMetadataList');
    return fetch(url, { ...init, headers: { ...init.headers, Accept: accept } });
  };
}

/**
 * True for the path of a collection: `/api/v1/<plural>`, `/api/v1/namespaces/<namespace>/<plural>`, or the equivalent
 * path below `/apis/<group>/<version>`.
 */
function isCollection(path: string): boolean {
  const [root, ...steps] = path.split('/').slice(1);
  const below = steps.slice(root === 'api' ? 1 : 2);
  return below.length === 1 || (below[0] === 'namespaces' && below.length === 3);
}
