import type { ObjectPlace } from '../../registry/rows.ts';
import { type PlaneObjects, storeOf } from './plane-objects.ts';

/**
 * The time has come to look at this object again: its grace period is over, or it has expired. The kind's own store
 * decides what follows; an object that is gone or has been given more time is left alone.
 */
export async function settleDeadline(plane: PlaneObjects, place: ObjectPlace): Promise<void> {
  await storeOf(plane, place.resource)?.settleDeadline(place.namespace, place.name);
}
