import type { ObjectRef } from '../../registry/rows/rows.ts';
import { findKindStore, type PlaneStores } from './plane-stores.ts';

/**
 * Handles a deadline of an object: the end of its grace period, or its expiry. The store of its kind decides what
 * follows; an object that is gone or has a later deadline is left alone.
 */
export async function handleDeadline(plane: PlaneStores, key: ObjectRef): Promise<void> {
  await findKindStore(plane, key.resource)?.handleDeadline(key.namespace, key.name);
}
