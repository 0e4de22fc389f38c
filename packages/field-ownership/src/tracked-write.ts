import type { Timestamp } from '@flotilla/kubernetes-formats';
import type { TrackedKind } from './tracked-kind.ts';
import type { TrackedObject } from './tracked-object.ts';

/** A write after which the field ownership is updated. */
export interface TrackedWrite<Tracked extends TrackedObject = TrackedObject> {
  readonly kind: TrackedKind;
  /** The stored object with its managedFields; absent for a create. */
  readonly live?: Tracked;
  /** The object to store. It contains the managedFields that the client sent, if any. */
  readonly next: Tracked;
  readonly manager: string;
  /** '' for the main endpoint, or 'status'. */
  readonly subresource: string;
  readonly now: Timestamp;
}
