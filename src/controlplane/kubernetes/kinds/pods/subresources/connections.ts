import { type JsonValue, listAt, textAt } from '@flotilla/json';
import type { KubeObject } from '../../../../../api/meta.ts';
import { badRequest, notFound, notImplemented, type StatusError } from '../../../../../api/status.ts';
import type { RequestContext } from '../../../../../registry/context.ts';
import type { KindStore } from '../../../../../registry/kind-store.ts';
import type { MountedSubresource } from '../../../../../registry/mounted-resource.ts';
import { allContainers } from '../../../rules/pods/pod-context.ts';
import type { StoreOf } from '../admission/refuse-pod.ts';
import { connectionKind } from './request-kinds.ts';

interface ConnectedStores {
  readonly pods: KindStore;
  readonly storeOf: StoreOf;
}

/**
 * Throws 400 if the query names a container that the pod does not have, or if the query names none and the pod has
 * several.
 */
function checkContainer(pod: KubeObject, wanted: string): void {
  const spec = (pod as { spec?: JsonValue }).spec;
  const name = pod.metadata.name ?? '';
  const names = allContainers((spec ?? {}) as Parameters<typeof allContainers>[0], '').map(([one]) =>
    textAt(one, 'name'),
  );
  if (wanted !== '') {
    if (!names.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  } else if (listAt(pod as JsonValue, 'spec', 'containers').length > 1) {
    const choices = `choose one of: [${names.join(' ')}]`;
    throw badRequest(`a container name must be specified for pod ${name}, ${choices}`);
  }
}

/** Returns the error for a pod on a node: the built-in cluster cannot connect to nodes. */
function unreachable(storeOf: StoreOf, nodeName: string): StatusError {
  if (storeOf('nodes')?.peek('', nodeName) === undefined) return notFound({ group: '', resource: 'nodes' }, nodeName);
  return notImplemented(
    `cannot connect to the kubelet of node ${JSON.stringify(nodeName)}: the built-in host does not connect to nodes`,
  );
}

const nodeOf = (pod: KubeObject) => textAt(pod as JsonValue, 'spec', 'nodeName');

async function podOf({ pods }: ConnectedStores, context: RequestContext, name: string): Promise<KubeObject> {
  return (await pods.verbs.get(context, name, { resourceVersion: '' })).object;
}

/** The subresource `log`. A pod without a node has no log. */
export function logSubresource(stores: ConnectedStores): MountedSubresource {
  return {
    kind: stores.pods.resource,
    verbs: {
      async read(context, name, query) {
        const pod = await podOf(stores, context, name);
        checkContainer(pod, query.get('container') ?? '');
        if (nodeOf(pod) !== '') throw unreachable(stores.storeOf, nodeOf(pod));
        return { status: 204, headers: {}, body: noBytes() };
      },
    },
  };
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}

/** A subresource that connects to a container or to the ports of a pod: `exec`, `attach` or `portforward`. */
export function connectionSubresource(
  stores: ConnectedStores,
  kind: string,
  { hasContainer }: { readonly hasContainer: boolean },
): MountedSubresource {
  return {
    kind: connectionKind(kind),
    verbs: {
      async connect(context, name, query) {
        const pod = await podOf(stores, context, name);
        if (hasContainer) checkContainer(pod, query.get('container') ?? '');
        if (nodeOf(pod) === '') throw badRequest(`pod ${name} does not have a host assigned`);
        throw unreachable(stores.storeOf, nodeOf(pod));
      },
    },
  };
}
