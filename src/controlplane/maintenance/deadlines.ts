import type { ObjectRef } from '../../registry/rows/rows.ts';
import { findKindStore, type PlaneStores } from './plane-stores.ts';

/**
 * Processes an object whose deadline has passed, that is the end of its grace period or its expiry time. The object's
 * kind store deletes the object, unless the object has a later deadline now.
 */
export async function handleDeadline(plane: PlaneStores, key: ObjectRef): Promise<void> {
  await findKindStore(plane, key.resource)?.handleDeadline(key.namespace, key.name);
}
