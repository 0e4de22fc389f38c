export { type ApplyRequest, applyObject } from './apply.ts';
export {
  ApplyConflictError,
  type FieldConflict,
  InvalidApplyError,
  SchemaMismatchError,
  TooManyFieldsError,
} from './apply-errors.ts';
export { equalExceptTimes } from './equal-except-times.ts';
export { createdEntries } from './fast/created-entries.ts';
export { fieldsFromText, internFields, latestFields, textOfFields } from './fast/fields-cache.ts';
export { managerName } from './manager-name.ts';
export { mergeConfiguration } from './merge-configuration.ts';
export { removeOwnership } from './remove-ownership.ts';
export { ownershipAfterScale, type ScaleParent, scaleOwnership } from './scale-ownership.ts';
export { trackUpdate } from './track-update.ts';
export type { GoForm, TrackedKind, TrackedVersions } from './tracked-kind.ts';
export type { ManagedFieldsEntry, TrackedMetadata, TrackedObject } from './tracked-object.ts';
export type { TrackedWrite } from './tracked-write.ts';
export { maxTrackedFields } from './typed/field-count.ts';
export { metadataSchema } from './typed/metadata-schema.ts';
export type { TrackedSchema } from './typed/tracked-schema.ts';
