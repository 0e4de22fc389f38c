/**
 * The version of the objects that every plane has without stored rows (`PlanePart.builtinObjects`). A release that changes
 * one of them must increase it. While servers of two releases share a store, the objects of the higher version win, so that
 * the servers do not overwrite each other's changes. A test compares the version with a digest of the objects.
 */
export const builtinObjectsVersion = 1;
