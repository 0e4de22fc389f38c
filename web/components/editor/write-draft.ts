import { equalJson, type JsonObject } from '@flotilla/json';
import type { KubeObject } from '../../../src/api/meta.ts';
import type { ApiRoot } from '../../data/api-root.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { getObject, replaceObject } from '../../data/objects/objects.ts';
import { hasStatusReason } from '../../data/objects/use-object.ts';
import { draftObject, editablePart } from './object-draft.ts';

/** The result of a write: the written object, or, after a conflict, the current version with the changes by others. */
export type WriteDraftResult = { readonly object: KubeObject } | { readonly changedTo: KubeObject };

/** The maximum number of attempts. A write is repeated if only server-managed fields changed in the meantime. */
const maxAttempts = 4;

/**
 * Replaces `base` with the edited object. The server often changes fields that it manages, such as the status. If a
 * conflict concerns only such fields, the write is repeated on the newest version without asking the user.
 */
export async function writeDraft(
  kind: KindRef,
  written: JsonObject,
  base: KubeObject,
  options: { readonly root?: ApiRoot; readonly dryRun?: boolean },
): Promise<WriteDraftResult> {
  let over = base;
  for (let tries = 1; ; tries++) {
    try {
      return { object: await replaceObject(kind, draftObject(written, over), options) };
    } catch (error) {
      if (!hasStatusReason(error, 'Conflict')) throw error;
      const newest = await readLatest(kind, base, options);
      if (!equalJson(editablePart(newest), editablePart(base))) return { changedTo: newest };
      if (tries >= maxAttempts) throw error;
      over = newest;
    }
  }
}

/** Fetches the object including its managed fields, which lists do not contain. */
export async function readLatest(
  kind: KindRef,
  { metadata }: KubeObject,
  { root, signal }: { readonly root?: ApiRoot; readonly signal?: AbortSignal } = {},
): Promise<KubeObject> {
  const place = { name: metadata.name ?? '', namespace: metadata.namespace };
  return await getObject(kind, place, {
    ...(root === undefined ? {} : { root }),
    ...(signal === undefined ? {} : { signal }),
  });
}
