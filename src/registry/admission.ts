import { type MaybePromise, needsAwait } from '../lib/maybe-promise.ts';
import type { AdmissionAttributes, SubresourceRequest } from './admission-attributes.ts';
import type { KindRuntime } from './kind-runtime.ts';
import { inNamespaceOf } from './mutation.ts';
import type { Guard } from './write/guard.ts';

/** Runs the plane's admission and then stores the write. The server's own writes skip admission. */
export function admitAndStore<T>(
  kind: KindRuntime,
  write: Omit<AdmissionAttributes, 'resource' | 'onCompleted' | 'addGuard'>,
  store: () => Promise<T>,
): Promise<T> {
  const { admit } = kind.planeCallbacks;
  if (admit === undefined || write.context.system) return store();
  const { operation, subresource, requestKind, draft, context, dryRun } = write;
  const callbacks: (() => void)[] = [];
  const onCompleted = (callback: () => void) => void callbacks.push(callback);
  const addGuard = (guard: Guard) => {
    draft.guards = [...(draft.guards ?? []), guard];
  };
  const { resource } = kind;
  const request = { resource, operation, subresource, requestKind, draft, context, dryRun, onCompleted, addGuard };
  let decision: MaybePromise<void>;
  try {
    decision = admit(request);
  } catch (error) {
    for (const callback of callbacks) callback();
    throw error;
  }
  // Admission usually decides synchronously and registers no callback. Calling `store` directly then saves a promise.
  return needsAwait(decision) || callbacks.length > 0 ? storeAfterDecision(decision, store, callbacks) : store();
}

/** Runs the plane's admission for a request to a subresource that is not stored. */
export function admitRequest(kind: KindRuntime, request: SubresourceRequest): Promise<void> {
  const { old } = request;
  const draft = { object: inNamespaceOf(request), hidden: {}, ...(old === undefined ? {} : { old: { object: old } }) };
  return admitAndStore(kind, { ...request, draft }, async () => {});
}

async function storeAfterDecision<T>(
  decision: MaybePromise<void>,
  store: () => Promise<T>,
  callbacks: readonly (() => void)[],
): Promise<T> {
  try {
    if (needsAwait(decision)) await decision;
    return await store();
  } finally {
    for (const callback of callbacks) callback();
  }
}
