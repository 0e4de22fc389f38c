import type { KubeObject, Timestamp } from '../../api/meta.ts';
import type { TrackedKind } from './tracked-fields.ts';

/** A write whose field ownership is recorded. */
export interface TrackedWrite {
  readonly kind: TrackedKind;
  /** The stored object with its managedFields. Absent for a create. */
  readonly live?: KubeObject;
  /** The object to store, with the managedFields that the client sent, if any. */
  readonly next: KubeObject;
  readonly manager: string;
  /** '' or 'status'. */
  readonly subresource: string;
  readonly now: Timestamp;
}
