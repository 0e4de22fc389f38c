/**
 * The version of the objects that every plane has without stored rows (`PlanePart.builtinObjects`). A release that
 * changes one of these objects must increase the version. If servers of two releases share a store, the objects of the
 * higher version win, so the servers do not overwrite each other's changes. A test compares the version with a digest
 * of the objects.
 */
export const builtinObjectsVersion = 1;
