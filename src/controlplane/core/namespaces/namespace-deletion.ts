import { type JsonObject, type JsonValue, textsAt } from '@flotilla/json';
import type { Condition } from '../../../api/conditions.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { StoredRecord } from '../../../registry/resource.ts';
import type { RevisionCheck } from '../../../store/store.ts';
import type { PlaneStores } from '../../maintenance/plane-stores.ts';
import { systemContext } from '../../system-context.ts';
import { namespaceDeletionConditions } from './namespace-conditions.ts';
import { deleteNamespaceContents } from './namespace-contents.ts';

/** The finalizer in the namespace's spec that is removed when the namespace is empty. */
export const namespaceContentsFinalizer = 'kubernetes';

export function specFinalizersOf(object: KubeObject | undefined): readonly string[] {
  return textsAt(object as JsonValue | undefined, 'spec', 'finalizers');
}

/** True if the namespace is being deleted and has finalizers in its spec, so its contents may still exist. */
export function isNamespaceTerminating({ object }: StoredRecord): boolean {
  return object.metadata.deletionTimestamp !== undefined && specFinalizersOf(object).length > 0;
}

const writing = { dryRun: false, fieldManager: 'namespace-controller', fieldValidation: 'Ignore' } as const;

/**
 * The maximum delay between two passes, in milliseconds. Without a delay, each deletion of an object would cause a scan
 * of all remaining objects.
 */
const maxDelayMs = 1_000;

/**
 * The interval, in milliseconds, between passes over a namespace that is not empty, if other processes write to the
 * store. Another process may remove the last object before it has received the deletion of the namespace. That process
 * then starts no pass.
 */
const recheckMs = 5_000;

interface Pass {
  readonly ended: number;
  readonly remaining: number;
}

/**
 * Deletes the contents of namespaces that are being deleted. Objects with finalizers remain for some time. Each change
 * in such a namespace starts another pass, so polling is needed only if other processes write to the store.
 */
export class NamespaceDeletion {
  readonly #clock: Clock;
  readonly #plane: () => PlaneStores & { readonly kinds: ReadonlyMap<string, KindStore> };
  readonly #passes = new Map<string, Pass>();

  constructor(clock: Clock, plane: () => PlaneStores & { readonly kinds: ReadonlyMap<string, KindStore> }) {
    this.#clock = clock;
    this.#plane = plane;
  }

  /** Implements `StoredResource.reconcile`. Returns the delay in milliseconds until the next pass, if there is one. */
  async reconcile(name: string, fence?: RevisionCheck): Promise<number | undefined> {
    const delay = this.#delay(name);
    if (delay > 0) return delay;
    const namespaces = this.#plane().kinds.get('namespaces');
    const object = namespaces?.peek('', name)?.object;
    if (namespaces === undefined || object === undefined || !isNamespaceTerminating({ object })) {
      this.#passes.delete(name);
      return undefined;
    }
    const remains = await deleteNamespaceContents(this.#plane(), name, fence);
    if (remains === undefined) return 0;
    const remaining = [...remains.counts.values()].reduce((sum, count) => sum + count, 0);
    const [failure] = remains.failures;
    const isEmpty = remaining === 0 && failure === undefined;
    // The contents were the only reason that prevented the deletion. Do not write the conditions, because the namespace
    // is now removed immediately.
    if (isEmpty && isHeldOnlyByContents(object)) {
      this.#passes.delete(name);
      await removeContentsFinalizer(namespaces, object, fence);
      return undefined;
    }
    this.#passes.set(name, { ended: this.#clock.elapsed(), remaining: remaining });
    const updated = await writeConditions(
      namespaces,
      object,
      namespaceDeletionConditions(conditionsOf(object), remains, this.#clock.now()),
      fence,
    );
    if (failure !== undefined) throw new Error(`failed to delete the contents of namespace ${name}: ${failure}`);
    // The next pass starts later if many objects remain, because a pass over many objects takes long.
    if (remaining > 0) return namespaces.isShared ? Math.max(recheckMs, remaining) : undefined;
    this.#passes.delete(name);
    await removeContentsFinalizer(namespaces, updated, fence);
    return undefined;
  }

  #delay(name: string): number {
    const last = this.#passes.get(name);
    if (last === undefined) return 0;
    return last.ended + Math.min(last.remaining, maxDelayMs) - this.#clock.elapsed();
  }
}

async function writeConditions(
  namespaces: KindStore,
  object: KubeObject,
  conditions: Condition[],
  fence: RevisionCheck | undefined,
): Promise<KubeObject> {
  if (conditions === conditionsOf(object)) return object;
  const status: JsonObject = { ...(object.status as JsonObject | undefined), conditions };
  const { name = '' } = object.metadata;
  const context = systemContext('', undefined, fence);
  const written = await namespaces.status?.update(context, name, { ...object, status }, writing);
  return written?.object ?? object;
}

function isHeldOnlyByContents(object: KubeObject): boolean {
  const others = specFinalizersOf(object).filter((finalizer) => finalizer !== namespaceContentsFinalizer);
  return others.length === 0 && (object.metadata.finalizers ?? []).length === 0;
}

/** Removes the finalizer `kubernetes`. This deletes the namespace if it has no other finalizers. */
async function removeContentsFinalizer(
  namespaces: KindStore,
  object: KubeObject,
  fence: RevisionCheck | undefined,
): Promise<void> {
  const finalizers = specFinalizersOf(object).filter((finalizer) => finalizer !== namespaceContentsFinalizer);
  if (finalizers.length === specFinalizersOf(object).length) return;
  const spec: JsonObject = { ...(object.spec as JsonObject | undefined), finalizers };
  const { name = '' } = object.metadata;
  const context = systemContext('', undefined, fence);
  await namespaces.verbs.update(context, name, { ...object, spec }, { ...writing, subresource: 'finalize' });
}

const none: Condition[] = [];

function conditionsOf(object: KubeObject): Condition[] {
  return ((object.status as JsonObject | undefined)?.conditions as Condition[] | undefined) ?? none;
}
