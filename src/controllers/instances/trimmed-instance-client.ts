import type { Instance, InstanceClient } from './instance-profile.ts';

/**
 * Wraps a client so that lists and watches return only the fields that the instance index uses. This saves memory,
 * because an informer caches a copy of every instance. A reconcile reads the full object.
 */
export function trimmedInstanceClient(instances: InstanceClient): InstanceClient {
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

function slim(instance: Instance): Instance {
  const { namespace = '', name = '', uid = '', resourceVersion = '' } = instance.metadata;
  const { clusterRef = {}, templateRef = {} } = instance.spec ?? {};
  return {
    apiVersion: instance.apiVersion,
    kind: instance.kind,
    metadata: { namespace, name, uid, resourceVersion },
    spec: {
      clusterRef: { cluster: clusterRef.cluster ?? '', namespace: clusterRef.namespace ?? '' },
      templateRef: { name: templateRef.name ?? '' },
    },
  };
}
