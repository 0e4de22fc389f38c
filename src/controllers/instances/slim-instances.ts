import type { KubeObject } from '../../api/meta.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import { textAt } from '../../lib/json-path.ts';

/**
 * Wraps the client so that lists and watches contain only the fields that the instance index uses. An informer caches a
 * copy of every instance, and there are many; a reconcile reads the full object.
 */
export function slimInstances(instances: ResourceClient): ResourceClient {
  return {
    ...instances,
    async list(request) {
      const list = await instances.list(request);
      return { ...list, items: list.items.map(slim) };
    },
    async *watch(request) {
      for await (const event of instances.watch(request)) {
        yield event.type === 'BOOKMARK' ? event : { ...event, object: slim(event.object) };
      }
    },
  };
}

function slim(instance: KubeObject): KubeObject {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = instance.metadata;
  const at = (...path: string[]) => textAt(instance, 'spec', ...path);
  return {
    apiVersion: instance.apiVersion,
    kind: instance.kind,
    metadata: { namespace, name, uid, resourceVersion },
    spec: {
      clusterRef: { cluster: at('clusterRef', 'cluster'), namespace: at('clusterRef', 'namespace') },
      templateRef: { name: at('templateRef', 'name') },
    },
  };
}
