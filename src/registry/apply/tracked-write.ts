import type { KubeObject, Timestamp } from '../../api/meta.ts';
import type { TrackedKind } from './tracked-fields.ts';

/** A write after which the field ownership is updated. */
export interface TrackedWrite {
  readonly kind: TrackedKind;
  /** The stored object with its managedFields; absent for a create. */
  readonly live?: KubeObject;
  /** The object to store. It contains the managedFields that the client sent, if any. */
  readonly next: KubeObject;
  readonly manager: string;
  /** '' for the main endpoint, or 'status'. */
  readonly subresource: string;
  readonly now: Timestamp;
}
