import { cloneJson, isJsonObject, type JsonObject, type JsonValue, numberAt, setMember, valueAt } from '@flotilla/json';
import type { ScaleSubresource } from '../../api/apiextensions/definition.ts';
import { scaleKind } from '../../api/apiextensions/scale-kind.ts';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { badRequest, StatusError, unsupportedMediaType } from '../../api/status.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { MountedSubresource } from '../../registry/mounted-resource.ts';
import { applyJsonPatch } from '../../registry/patch/json-patch.ts';
import { applyMergePatch } from '../../registry/patch/merge-patch.ts';
import type { Patch, PatchOptions, WriteOptions, WriteResult } from '../../registry/verbs.ts';
import { applyFieldValidation, decodeDocument } from '../../registry/write/decode.ts';
import { pathSegments, replicasAt, type ScaleValue, selectorAt } from './scale-errors.ts';

const newest = { resourceVersion: '' };

/** The maximum number of attempts to write an object that other clients change at the same time. */
const maxAttempts = 10;

/**
 * The subresource `scale` of a custom resource. The CustomResourceDefinition specifies the paths of its fields
 * (SCALE-01 to SCALE-03).
 */
export function mountScale(store: KindStore, paths: ScaleSubresource): MountedSubresource {
  const kind = scaleKind(store.resource.namespaced);
  const { specReplicasPath = '' } = paths;

  const toScale = (object: KubeObject): KubeObject => scaleOf(object, paths);

  /** Writes the replica count of a Scale into the custom resource. A resourceVersion in the Scale is a precondition. */
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
      setReplicas(next, specReplicasPath, replicasOf(scale, current, specReplicasPath));
      const given = scale.metadata.resourceVersion ?? '';
      if (given !== '') next.metadata.resourceVersion = given;
      try {
        const written = await store.verbs.update(context, name, next, { ...options, subresource: 'scale' });
        const served = toServedObject(kind, toScale(written.object));
        return { object: served.object, json: () => served.json(), created: false };
      } catch (error) {
        const isConflict = error instanceof StatusError && error.status.reason === 'Conflict';
        const isRetryable = given === '' || given === current.metadata.resourceVersion;
        if (!isConflict || !isRetryable || attempt === maxAttempts) throw error;
      }
    }
  }

  async function patch(
    context: RequestContext,
    name: string,
    sent: Patch,
    options: PatchOptions,
  ): Promise<WriteResult> {
    if (sent.type === 'apply') return apply(context, name, sent.object, options);
    if (sent.type === 'strategic') {
      throw unsupportedMediaType(
        'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      );
    }
    return writeReplicas(context, name, options, (current) => {
      const scale = scaleOf(current, paths);
      const document =
        sent.type === 'json' ? applyJsonPatch(scale, sent.operations) : applyMergePatch(scale, sent.document);
      const { object, findings } = decodeDocument(kind, document, { findings: sent.findings });
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
    if (replicas !== undefined) setReplicas(object, specReplicasPath, replicas);
    await store.verbs.get(context, name, newest);
    const written = await store.verbs.patch(
      context,
      name,
      { type: 'apply', object: object as JsonValue },
      { ...options, subresource: 'scale' },
    );
    const served = toServedObject(kind, toScale(written.object));
    return { object: served.object, json: () => served.json(), created: false };
  }

  return {
    kind,
    verbs: {
      async get(context, name, options) {
        const { object } = await store.verbs.get(context, name, options);
        const found = replicasAt(object, specReplicasPath);
        if (!('fault' in found) && found.value === undefined) {
          throw badRequest(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
        }
        return toServedObject(kind, toScale(object));
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

function scaleOf(object: KubeObject, paths: ScaleSubresource): KubeObject {
  const { name = '', namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const { labelSelectorPath = '' } = paths;
  const replicas = foundValue(replicasAt(object, paths.specReplicasPath ?? ''));
  const actual = foundValue(replicasAt(object, paths.statusReplicasPath ?? ''));
  const selector = labelSelectorPath === '' ? undefined : foundValue(selectorAt(object, labelSelectorPath));
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
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: { replicas: actual ?? 0, ...(selector === undefined || selector === '' ? {} : { selector }) },
  } as KubeObject;
}

function foundValue<T>(found: ScaleValue<T>): T | undefined {
  if ('fault' in found) throw badRequest(found.fault);
  return found.value;
}

/**
 * Returns the replica count of a sent Scale, 0 if it has none. Throws 400 if the custom resource has none either
 * (SCALE-03).
 */
function replicasOf(scale: KubeObject, current: KubeObject, path: string): number {
  const sent = valueAt(scale as JsonValue, 'spec', 'replicas');
  if (typeof sent === 'number') return sent;
  if (foundValue(replicasAt(current, path)) === undefined) {
    throw badRequest(`the spec replicas field ${JSON.stringify(path)} cannot be empty`);
  }
  return 0;
}

function setReplicas(object: KubeObject, path: string, replicas: number): void {
  const names = pathSegments(path);
  let parent = object as JsonObject;
  for (const name of names.slice(0, -1)) {
    const member: JsonValue | undefined = Object.hasOwn(parent, name) ? parent[name] : undefined;
    const below: JsonObject = isJsonObject(member) ? member : {};
    setMember(parent, name, below);
    parent = below;
  }
  setMember(parent, names.at(-1) ?? '', replicas);
}
