import type { KubeObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { RequestContext } from './context.ts';
import type { Draft, StoredResource } from './resource.ts';
import type { OwnedKind } from './tracked-kind.ts';
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
   * The kind of the object in a request to a subresource that is not stored, such as an Eviction. Absent if the object
   * in the request is of the kind `resource`.
   */
  readonly requestKind?: ResourceKind | undefined;
  /**
   * The object to be written. For a delete, `draft.object` is the deleted object, frozen. Admission must not change the
   * draft.
   */
  readonly draft: Draft;
  readonly context: RequestContext;
  readonly dryRun: boolean;
  /**
   * Registers a callback that runs when the write has ended: it is stored and visible in every cache, it failed, it was
   * rejected, or it was a dry run. Admission uses the callback to release the quota that it reserved for the write. If
   * the write conflicts with another write, it also ends and the callback runs; for the retry, admission is called
   * again.
   */
  onCompleted(callback: () => void): void;
  /**
   * Adds the guard of a limit that admission has checked (`KindStore.takeGuard`): a row that the write checks and
   * replaces, so the limit is exact. Not called for deletes.
   */
  addGuard(guard: Guard): void;
}

/** A request to a subresource whose object is of another kind, such as an eviction or a Scale. */
export interface SubresourceRequest {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly subresource: string;
  /** The kind of `object`. */
  readonly requestKind: OwnedKind;
  readonly object: KubeObject;
  /** The object before an update, of the kind `requestKind`. */
  readonly old?: KubeObject;
  readonly context: RequestContext;
  readonly dryRun: boolean;
}
