import { cloneJson, isJsonObject, isNestedDeeper, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { scaleKind } from '../../api/scale-kind.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../../api/status.ts';
import { toServedObject, toWriteResult } from '../../registry/cache/served.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { applyJsonPatch } from '../../registry/patch/json-patch.ts';
import { applyMergePatch } from '../../registry/patch/merge-patch.ts';
import { applyStrategicPatch } from '../../registry/patch/strategic-patch.ts';
import type { Patch, PatchOptions, WriteOptions, WriteResult } from '../../registry/verbs.ts';
import { applyFieldValidation, decodeDocument, maxObjectDepth, tooDeepMessage } from '../../registry/write/decode.ts';
import { ScaleOwnership, type TrackedScale } from './scale-ownership.ts';

/** The replica counts of an object that its Scale contains. */
export interface ReplicaCounts {
  /** The desired number of replicas; absent if the object specifies none. */
  readonly desired?: number | undefined;
  readonly current: number;
  /** The label selector of the replicas as text; '' if there is none. */
  readonly selector: string;
}

/** Functions that read and change the replica counts of objects of one kind. The functions throw StatusErrors. */
export interface ScaledKind {
  countsOf(object: KubeObject): ReplicaCounts;
  /** The path of the desired number of replicas in the object. */
  readonly replicasPath: readonly string[];
  /** Returns the replica count that a sent Scale requests for an object. Throws if the Scale is invalid. */
  requestedReplicas(scale: KubeObject, current: KubeObject): number;
  /** Throws if the Scale of the object cannot be read. Optional. */
  checkReadable?(object: KubeObject): void;
  /** True if clients may send strategic merge patches, as for built-in kinds. */
  readonly strategicPatches: boolean;
}

const newest = { resourceVersion: '' };

/** The maximum number of attempts to write an object that other clients change at the same time. */
const maxAttempts = 10;

type DocumentPatch = Exclude<Patch, { type: 'apply' }>;

/** Returns the subresource `scale` of a kind, in which clients read and write only the replica count of an object. */
export function mountScale(store: KindStore, scaled: ScaledKind): MountedSubresource {
  const kind = { ...scaleKind(store.resource.namespaced), hasStatus: false };
  const { group, version } = store.resource;
  const ownership = new ScaleOwnership(kind, { group, version, replicasPath: scaled.replicasPath });
  const toScale = (object: KubeObject) => scaleOf(object, scaled.countsOf(object));

  /**
   * Writes the replica count of a Scale into its object. The uid and the resourceVersion of the Scale are
   * preconditions.
   */
  async function writeReplicas(
    context: RequestContext,
    name: string,
    options: WriteOptions,
    nextScale: (current: KubeObject, live: KubeObject) => TrackedScale,
  ): Promise<WriteResult> {
    for (let attempt = 1; ; attempt++) {
      const { object: current } = await store.verbs.get(context, name, newest);
      const old = toScale(current);
      const tracked = nextScale(current, ownership.withOwners(old, current));
      const { managedFields } = tracked;
      const request = { operation: 'UPDATE', subresource: 'scale', requestKind: kind, dryRun: options.dryRun } as const;
      const scale = await store.mutateRequest({ ...request, object: tracked.scale, old, context });
      const next = cloneJson(current);
      setReplicas(next, scaled.replicasPath, scaled.requestedReplicas(scale, current));
      const { uid = '', resourceVersion: given = '' } = scale.metadata;
      if (uid !== '') next.metadata.uid = uid;
      if (given !== '') next.metadata.resourceVersion = given;
      try {
        const written = await store.verbs.update(context, name, next, {
          ...options,
          subresource: 'scale',
          admittedAs: { kind, of: toScale },
          ownership: ownership.afterWrite(current, managedFields),
        });
        return toWriteResult(toServedObject(kind, toScale(written.object)), false);
      } catch (error) {
        const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
        const isRetryable = given === '' || given === current.metadata.resourceVersion;
        if (!isConflict || !isRetryable || attempt === maxAttempts) throw error;
      }
    }
  }

  const update = (context: RequestContext, name: string, sent: KubeObject, options: WriteOptions) => {
    checkSentName(sent, name);
    return writeReplicas(context, name, options, (_, live) => ownership.updated(live, sent, options));
  };

  async function patch(
    context: RequestContext,
    name: string,
    sent: Patch,
    options: PatchOptions,
  ): Promise<WriteResult> {
    if (sent.type === 'strategic' && !scaled.strategicPatches) throw unsupportedPatch();
    rejectDeepPatch(sent);
    return writeReplicas(context, name, options, (current, live) => {
      if (sent.type === 'apply') return ownership.applied(live, appliedScale(sent.object, name), options);
      const document = patchedScale(kind, toScale(current), sent);
      const { object, findings } = decodeDocument(kind, document, { findings: sent.findings });
      applyFieldValidation(kind, findings, options.fieldValidation, (text) => context.warn(text));
      // The patch did not change the resourceVersion, so the client has set no precondition.
      if (object.metadata.resourceVersion === current.metadata.resourceVersion) delete object.metadata.resourceVersion;
      return ownership.updated(live, object, options);
    });
  }

  return {
    kind,
    verbs: {
      async get(context, name, options) {
        const { object } = await store.verbs.get(context, name, options);
        scaled.checkReadable?.(object);
        return toServedObject(kind, toScale(object));
      },
      update: async (...request) => update(...request),
      patch,
    },
  };
}

function unsupportedPatch(): StatusError {
  return unsupportedMediaType(
    'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
  );
}

/** Throws 400 for a patch that is nested too deeply for recursive functions. */
function rejectDeepPatch(sent: Patch): void {
  if (sent.type === 'json') return;
  const body = sent.type === 'apply' ? sent.object : sent.document;
  if (isNestedDeeper(body, maxObjectDepth)) throw badRequest(`error decoding patch: ${tooDeepMessage}`);
}

function patchedScale(kind: ResourceKind, scale: KubeObject, sent: DocumentPatch): JsonValue {
  if (sent.type === 'json') return applyJsonPatch(scale, sent.operations);
  return sent.type === 'merge'
    ? applyMergePatch(scale, sent.document)
    : applyStrategicPatch(kind, scale, sent.document);
}

/** Returns the Scale in an apply request. If the Scale has a name, it must be the name in the URL. */
function appliedScale(body: JsonValue, name: string): KubeObject {
  if (!isJsonObject(body)) throw badRequest('error decoding patch: the body is not an object');
  const { metadata } = body;
  const object = { ...body, metadata: { ...(isJsonObject(metadata) ? metadata : {}) } } as KubeObject;
  if ((object.metadata.name ?? '') !== '') checkSentName(object, name);
  return object;
}

function setReplicas(object: KubeObject, path: readonly string[], replicas: number): void {
  let parent = object as JsonObject;
  for (const name of path.slice(0, -1)) {
    const member: JsonValue | undefined = Object.hasOwn(parent, name) ? parent[name] : undefined;
    const below: JsonObject = isJsonObject(member) ? member : {};
    setMember(parent, name, below);
    parent = below;
  }
  setMember(parent, path.at(-1) ?? '', replicas);
}

/** Throws 400 if the name in the sent object does not match the URL (UPDATE-02, UPDATE-03). */
function checkSentName({ metadata }: KubeObject, name: string): void {
  const { name: sent = '' } = metadata;
  if (sent === '') {
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (sent !== name) {
    throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
  }
}

function scaleOf({ metadata }: KubeObject, { desired = 0, current, selector }: ReplicaCounts): KubeObject {
  const { name = '', namespace, uid, resourceVersion, creationTimestamp } = metadata;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: desired === 0 ? {} : { replicas: desired },
    status: { replicas: current, ...(selector === '' ? {} : { selector }) },
  } as KubeObject;
}
