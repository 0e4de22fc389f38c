import type { KubeObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { StatusError } from '../../api/status.ts';
import { flagAt, listAt, textAt, textsAt } from '../../lib/json-path.ts';
import { CliError, exitCodes } from '../cli-error.ts';
import type { ServerApi } from './server-api.ts';

export interface DiscoveredKind {
  /** Of the kind's objects, in the project where they live in one. */
  readonly collection: string;
  readonly verbs: readonly string[];
}

/** Asks the server once for each version of a group what kinds it has. */
export function kindFinder(api: ServerApi, signal: AbortSignal): (object: KubeObject) => Promise<DiscoveredKind> {
  const asked = new Map<string, ReturnType<ServerApi['json']>>();
  return async ({ apiVersion, kind, metadata }) => {
    const root = `/${api.access.apiPrefix}/management/${apiVersion.includes('/') ? 'apis' : 'api'}/${apiVersion}`;
    const listing = asked.get(root) ?? api.json({ path: root, signal });
    asked.set(root, listing);
    const answer = await listing.catch((error: unknown) => {
      if (error instanceof StatusError && error.code === 404) return {};
      throw error;
    });
    const found = listAt(answer, 'resources').find(
      (resource) => textAt(resource, 'kind') === kind && !textAt(resource, 'name').includes('/'),
    );
    if (found === undefined) {
      throw new CliError(`the server has no kind ${kind} in ${apiVersion}`, {
        exitCode: exitCodes.notFound,
        next: 'check apiVersion and kind; what belongs into a virtual cluster goes there: flotilla connect NAME -- kubectl apply -f FILE',
      });
    }
    const namespace = metadata.namespace ?? projectNamespace(api.access.project);
    const below = flagAt(found, 'namespaced') ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return { collection: `${root}${below}/${textAt(found, 'name')}`, verbs: textsAt(found, 'verbs') };
  };
}
