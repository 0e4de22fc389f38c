import type { RequestContext } from './context.ts';
import type { KindRuntime } from './kind-runtime.ts';
import type { Draft, StoredResource } from './resource.ts';

/** A write that is about to be stored: its draft is final and valid by the rules of its own kind. */
export interface AdmittedWrite {
  readonly resource: StoredResource;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE';
  /** '' for the object itself. */
  readonly subresource: string;
  /** For a delete, `object` is what is deleted, frozen. Admission changes nothing in a draft. */
  readonly draft: Draft;
  readonly context: RequestContext;
  readonly dryRun: boolean;
  /**
   * Calls back when the write is stored and every cache has it, or when it has failed, was refused or was only tried:
   * for what admission holds for it meanwhile (a share of a quota). A write that loses a race is admitted anew.
   */
  afterwards(callback: () => void): void;
}

/** Asks the plane about a write before it is stored; the server's own writes are not asked about. */
export function admitted<T>(
  kind: KindRuntime,
  write: Omit<AdmittedWrite, 'resource' | 'afterwards'>,
  store: () => Promise<T>,
): Promise<T> {
  const { admit } = kind.collaborators;
  if (admit === undefined || write.context.system) return store();
  const { operation, subresource, draft, context, dryRun } = write;
  const ends: (() => void)[] = [];
  const afterwards = (callback: () => void) => void ends.push(callback);
  const asked = { resource: kind.resource, operation, subresource, draft, context, dryRun, afterwards };
  let deciding: void | Promise<void>;
  try {
    deciding = admit(asked);
  } catch (error) {
    for (const end of ends) end();
    throw error;
  }
  // Most often nobody has anything to say, and there is nothing to be waited for.
  return deciding instanceof Promise || ends.length > 0 ? storeDecided(deciding, store, ends) : store();
}

async function storeDecided<T>(
  deciding: void | Promise<void>,
  store: () => Promise<T>,
  ends: readonly (() => void)[],
): Promise<T> {
  try {
    if (deciding instanceof Promise) await deciding;
    return await store();
  } finally {
    for (const end of ends) end();
  }
}
