import type { Condition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Clock } from '../../lib/clock.ts';
import { textsAt } from '../../lib/json-path.ts';
import type { JsonObject, JsonValue } from '../../lib/json-value.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { StoredRecord } from '../../registry/resource.ts';
import { systemContext } from '../system-context.ts';
import type { PlaneObjects } from '../upkeep/plane-objects.ts';
import { deletionConditions } from './namespace-conditions.ts';
import { deleteContents } from './namespace-contents.ts';

/** The finalizer in a namespace's spec that stands for its contents. */
export const contentsFinalizer = 'kubernetes';

export function specFinalizersOf(object: KubeObject | undefined): readonly string[] {
  return textsAt(object as JsonValue | undefined, 'spec', 'finalizers');
}

/** Whether the namespace is being deleted and not yet empty. */
export function isTerminating({ object }: StoredRecord): boolean {
  return object.metadata.deletionTimestamp !== undefined && specFinalizersOf(object).length > 0;
}

const writing = { dryRun: false, fieldManager: 'namespace-controller', fieldValidation: 'Ignore' } as const;

/** With many objects left, every change of one of them would be a look at all others: not more often than this. */
const longestPause = 1_000;

interface Round {
  readonly ended: number;
  readonly left: number;
}

/**
 * Empties the namespaces of one plane that are being deleted. What is left waits for its finalizers; each change in the
 * namespace brings it here again, so that nobody has to come by to look.
 */
export class NamespaceDeletion {
  readonly #clock: Clock;
  readonly #plane: () => PlaneObjects & { readonly kinds: ReadonlyMap<string, KindStore> };
  readonly #rounds = new Map<string, Round>();

  constructor(clock: Clock, plane: () => PlaneObjects & { readonly kinds: ReadonlyMap<string, KindStore> }) {
    this.#clock = clock;
    this.#plane = plane;
  }

  /** As `StoredResource.settle`. */
  async settle(name: string): Promise<number | undefined> {
    const pause = this.#pause(name);
    if (pause > 0) return pause;
    const namespaces = this.#plane().kinds.get('namespaces');
    const object = namespaces?.peek('', name)?.object;
    if (namespaces === undefined || object === undefined || !isTerminating({ object })) {
      this.#rounds.delete(name);
      return undefined;
    }
    const remains = await deleteContents(this.#plane(), name);
    const left = [...remains.counts.values()].reduce((sum, count) => sum + count, 0);
    const [failure] = remains.failures;
    const isEmpty = left === 0 && failure === undefined;
    // What is empty and held by nobody else goes at once: nobody could read what is told of it.
    if (isEmpty && isHeldByContentsAlone(object)) {
      this.#rounds.delete(name);
      await finish(namespaces, object);
      return undefined;
    }
    this.#rounds.set(name, { ended: this.#clock.elapsed(), left });
    const told = await this.#tell(
      namespaces,
      object,
      deletionConditions(conditionsOf(object), remains, this.#clock.now()),
    );
    if (failure !== undefined) throw new Error(`the contents of namespace ${name} could not be deleted: ${failure}`);
    if (left > 0) return undefined;
    this.#rounds.delete(name);
    await finish(namespaces, told);
    return undefined;
  }

  #pause(name: string): number {
    const last = this.#rounds.get(name);
    if (last === undefined) return 0;
    return last.ended + Math.min(last.left, longestPause) - this.#clock.elapsed();
  }

  async #tell(namespaces: KindStore, object: KubeObject, conditions: Condition[]): Promise<KubeObject> {
    if (conditions === conditionsOf(object)) return object;
    const status: JsonObject = { ...(object.status as JsonObject | undefined), conditions };
    const { name = '' } = object.metadata;
    const written = await namespaces.status?.update(systemContext(''), name, { ...object, status }, writing);
    return written?.object ?? object;
  }
}

function isHeldByContentsAlone(object: KubeObject): boolean {
  const others = specFinalizersOf(object).filter((finalizer) => finalizer !== contentsFinalizer);
  return others.length === 0 && (object.metadata.finalizers ?? []).length === 0;
}

/** Takes the finalizer off; with it goes the namespace, if nothing else holds it. */
async function finish(namespaces: KindStore, object: KubeObject): Promise<void> {
  const finalizers = specFinalizersOf(object).filter((finalizer) => finalizer !== contentsFinalizer);
  if (finalizers.length === specFinalizersOf(object).length) return;
  const spec: JsonObject = { ...(object.spec as JsonObject | undefined), finalizers };
  const { name = '' } = object.metadata;
  await namespaces.verbs.update(systemContext(''), name, { ...object, spec }, { ...writing, subresource: 'finalize' });
}

const none: Condition[] = [];

function conditionsOf(object: KubeObject): Condition[] {
  return ((object.status as JsonObject | undefined)?.conditions as Condition[] | undefined) ?? none;
}
