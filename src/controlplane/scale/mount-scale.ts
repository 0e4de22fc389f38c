import { cloneJson, type JsonValue, numberAt } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { scaleKind } from '../../api/scale-kind.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../../api/status.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { applyJsonPatch } from '../../registry/patch/json-patch.ts';
import { applyMergePatch } from '../../registry/patch/merge-patch.ts';
import { applyStrategicPatch } from '../../registry/patch/strategic-patch.ts';
import type { Patch, PatchOptions, WriteOptions, WriteResult } from '../../registry/verbs.ts';
import { applyFieldValidation, decodeDocument } from '../../registry/write/decode.ts';

/** The replica counts of an object, as its Scale contains them. */
export interface ReplicaCounts {
  /** The desired number; absent if the object has none. */
  readonly desired?: number | undefined;
  readonly current: number;
  /** The label selector of the replicas as text; '' if there is none. */
  readonly selector: string;
}

/** Reads and changes the replica counts of the objects of one kind. All functions throw StatusError. */
export interface ScaledKind {
  countsOf(object: KubeObject): ReplicaCounts;
  setReplicas(object: KubeObject, replicas: number): void;
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

/** The subresource `scale` of a kind. Clients read and write the replica count of an object without its other fields. */
export function mountScale(store: KindStore, scaled: ScaledKind): MountedSubresource {
  const kind = scaleKind(store.resource.namespaced);

  const served = (object: KubeObject): WriteResult => {
    const { object: scale, json } = toServedScale(object);
    return { object: scale, json, created: false };
  };
  const toServedScale = (object: KubeObject) => {
    const scale = toServedObject(kind, scaleOf(object, scaled.countsOf(object)));
    return { object: scale.object, json: () => scale.json() };
  };

  /** Writes the replica count of a Scale into the object. A resourceVersion in the Scale is a precondition. */
  async function writeReplicas(
    context: RequestContext,
    name: string,
    options: WriteOptions,
    wanted: (current: KubeObject) => KubeObject,
  ): Promise<WriteResult> {
    for (let attempt = 1; ; attempt++) {
      const { object: current } = await store.verbs.get(context, name, newest);
      const scale = wanted(current);
      const next = cloneJson(current);
      scaled.setReplicas(next, scaled.requestedReplicas(scale, current));
      const given = scale.metadata.resourceVersion ?? '';
      if (given !== '') next.metadata.resourceVersion = given;
      try {
        const written = await store.verbs.update(context, name, next, { ...options, subresource: 'scale' });
        return served(written.object);
      } catch (error) {
        const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
        const isRetryable = given === '' || given === current.metadata.resourceVersion;
        if (!isConflict || !isRetryable || attempt === maxAttempts) throw error;
      }
    }
  }

  function patchedScale(current: KubeObject, sent: DocumentPatch): JsonValue {
    const scale = scaleOf(current, scaled.countsOf(current));
    if (sent.type === 'json') return applyJsonPatch(scale, sent.operations);
    return sent.type === 'merge'
      ? applyMergePatch(scale, sent.document)
      : applyStrategicPatch(kind, scale, sent.document);
  }

  async function patch(
    context: RequestContext,
    name: string,
    sent: Patch,
    options: PatchOptions,
  ): Promise<WriteResult> {
    if (sent.type === 'apply') return apply(context, name, sent.object, options);
    if (sent.type === 'strategic' && !scaled.strategicPatches) {
      throw unsupportedMediaType(
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
    }
    return writeReplicas(context, name, options, (current) => {
      const { object, findings } = decodeDocument(kind, patchedScale(current, sent), { findings: sent.findings });
      applyFieldValidation(kind, findings, options.fieldValidation, (text) => context.warn(text));
      // The patch did not change the resourceVersion, so the client has set no precondition.
      if (object.metadata.resourceVersion === current.metadata.resourceVersion) delete object.metadata.resourceVersion;
      return object;
    });
  }

  /** Applies a Scale with server-side apply. The field manager's entry is recorded for the subresource `scale`. */
  async function apply(
    context: RequestContext,
    name: string,
    sent: JsonValue,
    options: PatchOptions,
  ): Promise<WriteResult> {
    const replicas = numberAt(sent, 'spec', 'replicas');
    const { group, version, kind: kindName } = store.resource;
    const object = { apiVersion: apiVersionOf({ group, version }), kind: kindName, metadata: { name } } as KubeObject;
    if (replicas !== undefined) scaled.setReplicas(object, replicas);
    await store.verbs.get(context, name, newest);
    const applied: Patch = { type: 'apply', object: object as JsonValue };
    const written = await store.verbs.patch(context, name, applied, { ...options, subresource: 'scale' });
    return served(written.object);
  }

  return {
    kind,
    verbs: {
      async get(context, name, options) {
        const { object } = await store.verbs.get(context, name, options);
        scaled.checkReadable?.(object);
        return toServedScale(object);
      },
      async update(context, name, sent, options) {
        checkSentName(sent, name);
        return writeReplicas(context, name, options, () => sent);
      },
      patch,
    },
  };
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
