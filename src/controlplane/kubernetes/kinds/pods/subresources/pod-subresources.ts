import type { KindStore } from '../../../../../registry/kind-store.ts';
import type { MountedResource, MountedSubresource } from '../../../../../registry/mounted-resource.ts';
import type { StoreOf } from '../admission/refuse-pod.ts';
import { bindingSubresource } from './binding.ts';
import { connectionSubresource, logSubresource } from './connections.ts';
import { evictionSubresource } from './eviction.ts';

/** A subresource that writes a part of the spec of a pod, such as `resize`. */
function partSubresource(pods: KindStore, subresource: string): MountedSubresource {
  const { get, update, patch } = pods.verbs;
  return {
    kind: pods.resource,
    verbs: {
      get,
      update: (context, name, sent, options) => update(context, name, sent, { ...options, subresource }),
      patch: (context, name, sent, options) => patch(context, name, sent, { ...options, subresource }),
    },
  };
}

/** Returns the subresources of pods, except `status`, in the order of their names. */
export function podSubresources(pods: KindStore, storeOf: StoreOf): MountedResource['subresources'] {
  const stores = { pods, storeOf };
  return {
    attach: connectionSubresource(stores, 'PodAttachOptions', { hasContainer: true }),
    binding: bindingSubresource(pods, storeOf),
    ephemeralcontainers: partSubresource(pods, 'ephemeralcontainers'),
    eviction: evictionSubresource(stores),
    exec: connectionSubresource(stores, 'PodExecOptions', { hasContainer: true }),
    log: logSubresource(stores),
    portforward: connectionSubresource(stores, 'PodPortForwardOptions', { hasContainer: false }),
    resize: partSubresource(pods, 'resize'),
  };
}
