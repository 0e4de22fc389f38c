import { removeOwnership, trackUpdate } from '@flotilla/field-ownership';
import { cloneJson, type JsonValue, valueAt } from '@flotilla/json';
import { type KubeObject, timestamp } from '../../api/meta.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { trackedKindOf } from '../tracked-kind.ts';

/** The field manager of a write, and the subresource that the write goes to. */
export interface FieldWriter {
  readonly manager: string;
  /** The name of the subresource; '' if the write is to the object itself. */
  readonly subresource: string;
}

/** Updates managedFields for create, update and patch. Apply computes managedFields itself. */
export function trackWrite(
  kind: KindRuntime,
  { manager, subresource }: FieldWriter,
  next: KubeObject,
  live?: KubeObject,
): KubeObject {
  const now = timestamp(kind.clock.now());
  const tracked = trackedKindOf(kind.resource);
  if (live === undefined) return trackUpdate({ kind: tracked, next, manager, subresource, now });
  return trackUpdate({ kind: tracked, live, next, manager, subresource, now });
}

/** Sets managedFields of a new object. Fields that the server added (`StoredResource.unownedFields`) get no owner. */
export function trackNewObject(kind: KindRuntime, manager: string, next: KubeObject, sent: KubeObject): KubeObject {
  const tracked = trackWrite(kind, { manager, subresource: '' }, next);
  const added = kind.resource.unownedFields?.filter((path) => valueAt(sent as JsonValue, ...path) === undefined) ?? [];
  const managedFields = added.length === 0 ? undefined : removeOwnership(tracked.metadata.managedFields, added);
  return managedFields === undefined ? tracked : { ...tracked, metadata: { ...tracked.metadata, managedFields } };
}

/**
 * Sets managedFields that were computed earlier. Fields that defaults or hooks added after the computation have no
 * owner (SSA-37).
 */
export function withOwnership(object: KubeObject, managedFields: KubeObject['metadata']['managedFields']): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  const owned = managedFields === undefined || managedFields.length === 0 ? metadata : { ...metadata, managedFields };
  return { ...object, metadata: owned };
}

/**
 * Updates managedFields of a draft. `sent` is the draft before `prepare`. It is present only if the kind tracks only
 * the fields that clients have sent (`StoredResource.tracksSentFields`).
 */
export function trackDraft(
  draft: KubeObject,
  sent: KubeObject | undefined,
  track: (next: KubeObject) => KubeObject,
): KubeObject {
  return sent === undefined ? track(draft) : withOwnership(draft, track(sent).metadata.managedFields);
}

/** Returns a copy of the draft for `trackDraft`; `undefined` if the kind does not need it. */
export function sentFieldsOf({ resource }: KindRuntime, draft: KubeObject): KubeObject | undefined {
  return resource.tracksSentFields === true ? cloneJson(draft) : undefined;
}
