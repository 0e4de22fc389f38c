import { type MaybePromise, mustAwait } from '../lib/maybe-promise.ts';
import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';
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

/** Runs the plane's admission before a write is stored; the server's own writes skip it. */
export function withAdmission<T>(
  kind: KindRuntime,
  write: Omit<AdmissionAttributes, 'resource' | 'onCompleted'>,
  store: () => Promise<T>,
): Promise<T> {
  const { admit } = kind.collaborators;
  if (admit === undefined || write.context.system) return store();
  const { operation, subresource, draft, context, dryRun } = write;
  const callbacks: (() => void)[] = [];
  const onCompleted = (callback: () => void) => void callbacks.push(callback);
  const request = { resource: kind.resource, operation, subresource, draft, context, dryRun, onCompleted };
  let decision: MaybePromise<void>;
  try {
    decision = admit(request);
  } catch (error) {
    for (const callback of callbacks) callback();
    throw error;
  }
  // Usually admission decides synchronously and registers no callback, so there is nothing to wait for.
  return mustAwait(decision) || callbacks.length > 0 ? storeAfterDecision(decision, store, callbacks) : store();
}

async function storeAfterDecision<T>(
  decision: MaybePromise<void>,
  store: () => Promise<T>,
  callbacks: readonly (() => void)[],
): Promise<T> {
  try {
    if (mustAwait(decision)) await decision;
    return await store();
  } finally {
    for (const callback of callbacks) callback();
  }
}
