import {
  ApplyConflictError,
  type ApplyRequest,
  applyObject,
  InvalidApplyError,
  type ManagedFieldsEntry,
  removeOwnership,
  SchemaMismatchError,
  TooManyFieldsError,
} from '@flotilla/field-ownership';
import { type KubeObject, timestamp } from '../../api/meta.ts';
import { applyConflict, badRequest, requestTooLarge, unprocessable } from '../../api/status.ts';
import type { KindRuntime } from '../kind-runtime.ts';
import { trackedKindOf } from '../tracked-kind.ts';
import type { FieldWriter } from './track-write.ts';

/** The objects of a server-side apply. */
export interface ApplyWrite {
  /** The stored object; absent if the apply creates the object. */
  readonly live?: KubeObject;
  /** The object as the client sent it. */
  readonly applied: KubeObject;
  /** True if the apply takes over fields that other managers own, instead of failing with a conflict. */
  readonly force: boolean;
}

/** The result of a server-side apply. */
export interface AppliedObject {
  /** The live object with the applied fields, before pruning and defaulting. */
  readonly merged: KubeObject;
  /** The managedFields to store. They omit write-only fields. */
  readonly managedFields: ManagedFieldsEntry[] | undefined;
}

/**
 * Merges an applied object into the live object. Throws 400 for another kind or for managedFields in the body, 413 if
 * an object has too many fields, 422 if an object does not fit the schema, and 409 for conflicts.
 */
export function applyWrite(kind: KindRuntime, writer: FieldWriter, write: ApplyWrite): AppliedObject {
  const { resource } = kind;
  const now = timestamp(kind.clock.now());
  const merged = applyTracked({ kind: trackedKindOf(resource), ...write, ...writer, now });
  const managedFields = removeOwnership(merged.metadata.managedFields, resource.writeOnlyFields ?? []);
  return { merged, managedFields };
}

/** Merges an applied object of any kind, for example a Scale, which is not stored. Throws as `applyWrite` does. */
export function applyTracked(request: ApplyRequest<KubeObject>): KubeObject {
  try {
    return applyObject(request);
  } catch (error) {
    throw toStatusError(error);
  }
}

function toStatusError(error: unknown): unknown {
  if (error instanceof InvalidApplyError) return badRequest(error.message);
  if (error instanceof TooManyFieldsError) return requestTooLarge(error.message);
  if (error instanceof SchemaMismatchError) return unprocessable(error.message);
  if (!(error instanceof ApplyConflictError)) return error;
  const causes = error.conflicts.map(({ message, field }) => ({ reason: 'FieldManagerConflict', message, field }));
  return applyConflict(error.message, causes);
}
