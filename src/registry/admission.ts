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
export async function admitted<T>(
  kind: KindRuntime,
  write: Omit<AdmittedWrite, 'resource' | 'afterwards'>,
  store: () => Promise<T>,
): Promise<T> {
  const { admit } = kind.collaborators;
  if (admit === undefined || write.context.system) return store();
  const ends: (() => void)[] = [];
  try {
    const deciding = admit({ ...write, resource: kind.resource, afterwards: (callback) => void ends.push(callback) });
    if (deciding !== undefined) await deciding;
    return await store();
  } finally {
    for (const end of ends) end();
  }
}
