import type { KubeObject } from '../../../src/api/meta.ts';
import { equalJson, type JsonObject } from '../../../src/lib/json-value.ts';
import type { ApiRoot } from '../../data/api-root.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { getObject, replaceObject } from '../../data/objects.ts';
import { isRefusal } from '../../data/use-object.ts';
import { draftObject, writtenPart } from './object-draft.ts';

/** What became of a write: the object as it is then, or the one that somebody else made of it first. */
export type Written = { readonly object: KubeObject } | { readonly changedTo: KubeObject };

/** How often somebody else may be quicker with what does not matter here. */
const mostTries = 4;

/**
 * Puts what was written in the place of `base`. A server's own notes (status, who owns what) change often and are no
 * reason to ask anybody: then it is tried again over the newest.
 */
export async function writeDraft(
  kind: KindRef,
  written: JsonObject,
  base: KubeObject,
  options: { readonly root?: ApiRoot; readonly dryRun?: boolean },
): Promise<Written> {
  let over = base;
  for (let tries = 1; ; tries++) {
    try {
      return { object: await replaceObject(kind, draftObject(written, over), options) };
    } catch (error) {
      if (!isRefusal(error, 'Conflict')) throw error;
      const newest = await readNewest(kind, base, options);
      if (!equalJson(writtenPart(newest), writtenPart(base))) return { changedTo: newest };
      if (tries >= mostTries) throw error;
      over = newest;
    }
  }
}

/** The object with its record of who wrote what, which lists do not carry. */
export async function readNewest(
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
