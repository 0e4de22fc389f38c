import { equalJson, type JsonObject, type JsonValue } from '@flotilla/json';
import type { KubeObject } from '../../../api/meta.ts';
import type { Draft, KindVersions, ServedForm, StoredResource } from '../../../registry/resource.ts';
import { kubernetesDefaults } from '../defaults/kubernetes-defaults.ts';
import { horizontalPodAutoscaler } from '../kinds/autoscalers.ts';
import { type KubernetesKind, type StoredKubernetesKind, storedKubernetesKind } from '../kubernetes-kind.ts';
import { autoscalerToV1, autoscalerToV2, v1, v2, withoutReservedAnnotations } from './convert-autoscaler.ts';

const convert = (object: KubeObject, version: string): KubeObject =>
  version === 'v1' ? autoscalerToV1(object) : autoscalerToV2(object);

/** Autoscalers are stored in autoscaling/v2 and also served in autoscaling/v1. */
const versions: KindVersions = {
  find: (version) => [autoscaler, autoscalerV1].find((resource) => resource.version === version),
  convert,
};

/** Autoscalers in autoscaling/v2. */
export const autoscaler: StoredKubernetesKind = withMembers(
  storedKubernetesKind({ ...horizontalPodAutoscaler, complete: (object) => dropReserved(object) }),
  { versions },
);

/** Removes the annotations that only conversions set. A version thus never shows the annotations of another version. */
function dropReserved(object: JsonObject): void {
  object.metadata = withoutReservedAnnotations((object as KubeObject).metadata) as JsonObject;
}

const row: KubernetesKind = {
  ...horizontalPodAutoscaler,
  struct: 'autoscaling.HorizontalPodAutoscaler',
  version: 'v1',
  columns: (horizontalPodAutoscaler.columns ?? []).map((column) => ({
    ...column,
    value: (object, now, meter) => column.value(autoscalerToV2(object), now, meter),
  })),
  // Kubernetes converts each request. So convert the object to autoscaling/v2 and back, which gives the annotations and
  // the CPU utilization their converted form.
  complete: (object) => void Object.assign(object, autoscalerToV1(autoscalerToV2(object as KubeObject))),
};

const form: ServedForm = {
  storedVersion: v2,
  isConverted: (object) => object.apiVersion === v1,
  convert: autoscalerToV1,
  toStored(object, before) {
    const stored = autoscalerToV2(object);
    kubernetesDefaults.apply(horizontalPodAutoscaler.struct, stored as JsonObject, Date.now());
    return before === undefined ? stored : withUnchangedParts(stored, object, before);
  },
};

/**
 * Keeps the stored spec or status if the write does not change that part in autoscaling/v1. This version cannot
 * represent everything, for example the order of all metrics.
 */
function withUnchangedParts(stored: KubeObject, object: KubeObject, before: KubeObject): KubeObject {
  const kept = { ...stored } as JsonObject;
  const [next, old] = [object, autoscalerToV1(before)].map(autoscalerToV2) as [KubeObject, KubeObject];
  for (const part of ['spec', 'status'] as const) {
    const value = (before as JsonObject)[part];
    if (value !== undefined && equalJson(memberOf(next, part), memberOf(old, part))) kept[part] = value;
  }
  return kept as KubeObject;
}

function memberOf(object: KubeObject, name: string): JsonValue {
  return (object as JsonObject)[name] ?? null;
}

/** Returns the draft in autoscaling/v2, in which Kubernetes validates autoscalers. */
function draftInV2(draft: Draft): Draft {
  const { object, old } = draft;
  return {
    ...draft,
    object: autoscalerToV2(object),
    ...(old === undefined ? {} : { old: { object: autoscalerToV2(old.object) } }),
  };
}

/**
 * Restores the spec or the status to its stored value. Works on the autoscaling/v2 form, because in autoscaling/v1 the
 * same annotations can represent members of the spec and of the status. A new object has no status.
 */
function restorePart(draft: Draft, part: 'spec' | 'status'): void {
  const { object, old } = draft;
  const converted = { ...autoscalerToV2(object) } as JsonObject;
  converted[part] = old === undefined ? {} : memberOf(autoscalerToV2(old.object), part);
  draft.object = autoscalerToV1(converted as KubeObject);
}

/** Autoscalers in autoscaling/v1. */
export const autoscalerV1: StoredKubernetesKind = withMembers(storedKubernetesKind(row), {
  storageVersion: 'v2',
  versions,
  form,
  tracksSentFields: true,
  prepare: (draft) => restorePart(draft, 'status'),
  prepareStatus: (draft) => restorePart(draft, 'spec'),
  validate: (draft, context, subresource) => autoscaler.validate?.(draftInV2(draft), context, subresource) ?? [],
  validateStatus: (draft, context, subresource) =>
    autoscaler.validateStatus?.(draftInV2(draft), context, subresource) ?? [],
});

/** Returns a definition with changed members. The schema of the definition is still built lazily. */
function withMembers(kind: StoredKubernetesKind, members: Partial<StoredResource>): StoredKubernetesKind {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(kind), ...Object.getOwnPropertyDescriptors(members) },
  ) as StoredKubernetesKind;
}
