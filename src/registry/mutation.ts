import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../api/meta.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { SubresourceRequest } from './admission-attributes.ts';
import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';
import type { MutationAttributes } from './mutation-attributes.ts';
import { checkNamespace } from './verbs/body-checks.ts';
import { requireCreatable } from './verbs/create-checks.ts';
import { decodeDocumentMembers } from './write/decode.ts';

type MutatedWrite = Omit<MutationAttributes, 'resource' | 'decode'>;

/** Subresources whose requests contain an object of another kind. `mutateRequest` has already changed that object. */
const REQUEST_SUBRESOURCES = new Set(['binding', 'scale']);

/**
 * Runs the plane's mutating admission for an update. Returns the object to write: `write.object` itself if nothing
 * changes it. The server's own writes skip admission.
 */
export function mutateUpdate(kind: KindRuntime, write: MutatedWrite): MaybePromise<KubeObject> {
  const { isMutating, mutate } = kind.planeCallbacks;
  if (mutate === undefined || isMutating?.() !== true) return write.object;
  if (write.context.system || REQUEST_SUBRESOURCES.has(write.subresource)) return write.object;
  const { resource } = kind;
  const decode = (document: JsonObject) => decodeDocumentMembers(resource, document, { findings: [] });
  return mutate({ ...write, resource, decode });
}

/** Runs mutating admission for a request to a subresource with an object of another kind. Returns the object to use. */
export async function mutateRequest(kind: KindRuntime, request: SubresourceRequest): Promise<KubeObject> {
  const { isMutating, mutate } = kind.planeCallbacks;
  if (mutate === undefined || isMutating?.() !== true || request.context.system) return request.object;
  const decode = (document: JsonObject) => decodeDocumentMembers(request.requestKind, document, { findings: [] });
  return await mutate({ ...request, object: inNamespaceOf(request), resource: kind.resource, decode });
}

/** Returns the object with the namespace of the path, so that a request cannot evade the selectors of policies. */
export function inNamespaceOf({ object, context }: SubresourceRequest): KubeObject {
  const { namespace } = context;
  return namespace === '' ? object : { ...object, metadata: { ...object.metadata, namespace } };
}

/**
 * Runs mutating admission for a create. Before that, throws if no object can be created at present. Returns the object
 * to write: the object of the request itself if nothing changes it.
 */
export function mutateNew(
  kind: KindRuntime,
  context: RequestContext,
  sent: KubeObject,
  dryRun: boolean,
): MaybePromise<KubeObject> {
  if (kind.planeCallbacks.isMutating?.() !== true || context.system) return sent;
  return mutateCreatable(kind, context, sent, dryRun);
}

async function mutateCreatable(
  kind: KindRuntime,
  context: RequestContext,
  sent: KubeObject,
  dryRun: boolean,
): Promise<KubeObject> {
  const namespace = kind.resource.namespaced ? context.namespace : '';
  checkNamespace(kind.resource, sent.metadata, namespace);
  try {
    requireCreatable(kind, namespace, sent.metadata);
  } catch {
    // Waits for the cache, which may not yet contain the latest writes of other processes.
    await kind.cache.freshRevision();
    requireCreatable(kind, namespace, sent.metadata);
  }
  const object = withoutSystemMetadata(sent);
  const mutated = await mutateUpdate(kind, { operation: 'CREATE', subresource: '', object, context, dryRun });
  return mutated === object ? sent : mutated;
}

/** Returns the object as admission sees it: without metadata that only the server sets. */
function withoutSystemMetadata(sent: KubeObject): KubeObject {
  const {
    uid: _,
    creationTimestamp: _1,
    deletionTimestamp: _2,
    deletionGracePeriodSeconds: _3,
    ...rest
  } = sent.metadata;
  return { ...sent, metadata: rest };
}
