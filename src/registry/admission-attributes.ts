import type { RequestContext } from './context.ts';
import type { Draft, StoredResource } from './resource.ts';

/** A write that is about to be stored: its draft is final and valid by the rules of its own kind. */
export interface AdmissionAttributes {
  readonly resource: StoredResource;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** '' for the object itself. */
  readonly subresource: string;
  /** For a delete, `object` is the deleted object, frozen. Admission must not change the draft. */
  readonly draft: Draft;
  readonly context: RequestContext;
  readonly dryRun: boolean;
  /**
   * Registers a callback for the end of the write: it is stored and visible in every cache, has failed, was rejected,
   * or was a dry run. Admission releases what it reserved for the write (quota). A write that loses a race is admitted
   * again.
   */
  onCompleted(callback: () => void): void;
}
