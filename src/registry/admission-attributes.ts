import type { RequestContext } from './context.ts';
import type { Draft, StoredResource } from './resource.ts';
import type { Guard } from './write/guard.ts';

/**
 * A write that admission accepts or rejects before it is stored. The draft is complete and passed the kind's
 * validation.
 */
export interface AdmissionAttributes {
  readonly resource: StoredResource;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** The name of the written subresource; '' if the write is to the object itself. */
  readonly subresource: string;
  /**
   * The object to be written. For a delete, `draft.object` is the deleted object, frozen. Admission must not change the
   * draft.
   */
  readonly draft: Draft;
  readonly context: RequestContext;
  readonly dryRun: boolean;
  /**
   * Registers a callback that runs when the write has ended: it is stored and visible in every cache, it failed, it was
   * rejected, or it was a dry run. Admission uses the callback to release the quota that it reserved for the write. A
   * conflict with another write also ends the write and runs the callback; admission is called again for the retry.
   */
  onCompleted(callback: () => void): void;
  /** Adds the guard of a limit that admission has checked (`KindStore.takeGuard`). Not called for deletes. */
  addGuard(guard: Guard): void;
}
