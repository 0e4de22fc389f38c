import { removeOwnership, trackUpdate } from '@flotilla/field-ownership';
import { type JsonValue, valueAt } from '@flotilla/json';
import { type KubeObject, timestamp } from '../../api/meta.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { trackedKindOf } from '../tracked-kind.ts';

/** The field manager of a write, and the subresource that it writes. */
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
