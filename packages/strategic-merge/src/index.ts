export type { MergeSchema } from './merge-schema.ts';
export { ListOfListsError, MalformedPatchError, UnmergeablePatchError } from './patch-error.ts';
export { applyStrategicMerge, type MergedKind } from './strategic-merge.ts';
