import type { ObjectPlace } from '../../registry/rows.ts';
import { type PlaneObjects, storeOf } from './plane-objects.ts';

/**
 * Handles a deadline of an object: the end of its grace period, or its expiry. The store of its kind decides what
 * follows; an object that is gone or has a later deadline is left alone.
 */
export async function settleDeadline(plane: PlaneObjects, key: ObjectPlace): Promise<void> {
  await storeOf(plane, key.resource)?.settleDeadline(key.namespace, key.name);
}
