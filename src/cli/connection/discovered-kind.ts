import { flagAt, listAt, textAt, textsAt } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { ServerApi } from './server-api.ts';

export interface DiscoveredKind {
  /** The path of the collection of objects. For a namespaced kind, the path contains the namespace of the project. */
  readonly collection: string;
  readonly verbs: readonly string[];
}

/** Returns a function that finds the kind of an object by API discovery, with one request per API version. */
export function createKindFinder(api: ServerApi, signal: AbortSignal): (object: KubeObject) => Promise<DiscoveredKind> {
  const responses = new Map<string, ReturnType<ServerApi['json']>>();
  return async ({ apiVersion, kind, metadata }) => {
    const root = `/${api.access.apiPrefix}/management/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
    const listing = responses.get(root) ?? api.json({ path: root, signal });
    responses.set(root, listing);
    const response = await listing.catch((error: unknown) => {
      if (error instanceof StatusError && error.code === 404) return {};
      throw error;
    });
    const found = listAt(response, 'resources').find(
      (resource) => textAt(resource, 'kind') === kind && !textAt(resource, 'name').includes('/'),
    );
    if (found === undefined) {
      throw new CliError(`the server has no kind "${kind}" in ${apiVersion}`, {
        exitCode: exitCodes.notFound,
        next: 'check apiVersion and kind; apply objects of a virtual cluster with: flotilla connect NAME -- kubectl apply -f FILE',
      });
    }
    const namespace = metadata.namespace ?? projectNamespace(api.access.project);
    const namespacePath = flagAt(found, 'namespaced') ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return { collection: `${root}${namespacePath}/${textAt(found, 'name')}`, verbs: textsAt(found, 'verbs') };
  };
}
