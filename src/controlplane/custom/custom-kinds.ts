import { createHash } from 'node:crypto';
import { cloneJson, equalJson, type JsonValue } from '@flotilla/json';
import type { UsedNames } from '../../api/apiextensions/accepted-names.ts';
import { conditionOf, type Definition, definitionOf, isConditionTrue } from '../../api/apiextensions/definition.ts';
import { type Condition, setCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/meta.ts';
import { groupResourceOf } from '../../api/resource.ts';
import { conflict, StatusError } from '../../api/status.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import type { Draft } from '../../registry/resource.ts';
import { peekWithoutManagedFields } from '../../registry/verbs.ts';
import type { RevisionCheck } from '../../store/store.ts';
import type { AddedKind } from '../plane-kinds.ts';
import type { PartDependencies } from '../plane-part.ts';
import { systemContext } from '../system-context.ts';
import { type CustomKindState, storageVersionOf } from './custom-versions.ts';
import { DefinitionNamesByGroup, hasUsedName } from './definition-names-by-group.ts';
import { definitionCleanupFinalizer, definitionsResourceKey, groupOfDefinition } from './definitions-resource.ts';
import { establishResultOf, isSameDefinitionStatus } from './establish-result.ts';
import { kindOfDefinition } from './kind-of-definition.ts';

const write = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' } as const;
const everything = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' } as const;
const removal = { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, preconditions: {} };

/**
 * The interval for checking whether all custom resources of a deleted definition are gone. Finalizers can delay their
 * removal. This check is a fallback: usually, the deletion of the last custom resource is noticed immediately.
 */
const recheckMilliseconds = 5_000;

/**
 * The maximum number of attempts to establish a definition before its write is acknowledged. An attempt fails if another
 * process writes the status at the same time. Maintenance establishes the definition in any case.
 */
const maxEstablishAttempts = 5;

/**
 * The name of the guard for accepting names (`KindStore.takeGuard`). The guard prevents that several processes accept
 * the same name at the same time.
 */
const namesGuard = 'definitionnames';

export interface ReconcileOptions {
  /** The check for all writes (`RequestContext.fence`). Optional; defaults to none. */
  readonly fence?: RevisionCheck | undefined;
  /**
   * The extent of the reconcile: `serve` serves the kind as the stored definition specifies, `establish` also
   * establishes the definition, and `all` also deletes the custom resources of a deleted definition. Optional; defaults
   * to `all`.
   */
  readonly extent?: 'serve' | 'establish' | 'all';
  /**
   * Called as soon as the kind is served as the definition specifies. The rest of the reconcile may take longer.
   * Optional.
   */
  onServed?(): void;
}

interface ServedDefinition {
  /** The digest of the definition without its status. If only the status changes, the kind is not added again. */
  readonly digest: string;
  readonly storedVersion: string;
  stop(): void;
}

/**
 * Serves the kinds that the CustomResourceDefinitions of a plane define. Establishes new definitions, serves
 * established ones, and deletes the custom resources of deleted ones. All work starts from the stored state, so it can
 * be repeated.
 *
 * If several processes use the store, each process serves the kinds as the stored definitions specify. A definition is
 * established by the process that received its write, and by maintenance. Only maintenance deletes custom resources.
 */
export class CustomKindsController {
  readonly #options: PartDependencies;
  readonly #served = new Map<string, ServedDefinition>();
  readonly #names = new DefinitionNamesByGroup();
  /**
   * Runs the work for definitions of the same API group one after the other, because they may request the same names.
   */
  readonly #groups = new KeyedSerializer();
  /**
   * In a shared store, runs the work that serves kinds: for each definition, one task after the other. Independent of
   * `#groups`, whose work may take long.
   */
  readonly #serving = new KeyedSerializer();
  /** The changes of definitions that are not yet in effect for the served kinds. */
  readonly #unserved = new Set<UnservedChange>();
  #stopped = false;

  constructor(options: PartDependencies) {
    this.#options = options;
  }

  /**
   * Starts serving all established definitions, all at the same moment. Returns a function that stops the controller.
   */
  async start(): Promise<() => void> {
    const known = this.#definitions.peekAll().map((served) => definitionOf(peekWithoutManagedFields(served)));
    for (const definition of known) this.#names.set(definition);
    await this.#serve(known.filter((definition) => isConditionTrue(definition, 'Established')));
    const stopListening = this.#definitions.listen(({ before, after }) => {
      const name = (after ?? before)?.object.metadata.name ?? '';
      if (after === undefined) this.#names.delete(name);
      else this.#names.set(definitionOf(after.object));
      const change = new UnservedChange(groupOfDefinition(name));
      this.#unserved.add(change);
      const onServed = () => {
        this.#unserved.delete(change);
        change.onServed();
      };
      void this.reconcile(name, { onServed, extent: this.#definitions.isShared ? 'serve' : 'all' })
        .catch((error: unknown) => this.#report(name, error))
        .finally(onServed);
    });
    return () => {
      this.#stopped = true;
      stopListening();
      for (const { stop } of this.#served.values()) stop();
    };
  }

  /** True if other processes may write to the store of the plane. */
  get isShared(): boolean {
    return this.#definitions.isShared;
  }

  definitionsWaitingIn(group: string): string[] {
    return this.#names.definitionsWaitingIn(group);
  }

  /**
   * Resolves when all definitions that the cache contains now are in effect for the served kinds. If `group` is given,
   * waits only for the definitions of that API group.
   */
  async settled(group?: string): Promise<void> {
    const changes = [...this.#unserved].filter((change) => group === undefined || change.group === group);
    await Promise.all(changes.map((change) => change.served));
  }

  /**
   * Reconciles a CustomResourceDefinition. If the result is a number, the caller must call this method again after that
   * many milliseconds.
   */
  async reconcile(name: string, options: ReconcileOptions = {}): Promise<number | undefined> {
    if (this.isShared) await this.#serving.run(name, () => this.#serveAsStored(name));
    if (options.extent === 'serve') return undefined;
    return this.#groups.run(groupOfDefinition(name), () => this.#reconcileNow(name, options));
  }

  /** Establishes a definition that a client has written. Resolves when its kind is served, or if it cannot be served. */
  async establish(name: string): Promise<void> {
    if (!this.isShared) {
      await this.reconcile(name);
      return;
    }
    for (let attempt = 1; attempt <= maxEstablishAttempts; attempt++) {
      if ((await this.reconcile(name, { extent: 'establish' })) !== 0) break;
    }
    await this.settled(groupOfDefinition(name));
  }

  /**
   * Ensures that two processes never accept the same name for two definitions. Called for each status write. Throws 409 if
   * another definition uses a name that this write accepts.
   */
  async guardNames(draft: Draft, context: RequestContext): Promise<readonly []> {
    if (!this.isShared || !context.system) return [];
    const definition = definitionOf(draft.object);
    const { acceptedNames: names = {} } = definition.status;
    const before = (draft.old && definitionOf(draft.old.object).status.acceptedNames) ?? {};
    if (equalJson(names as JsonValue, before as JsonValue)) return [];
    const { name = '' } = definition.metadata;
    const guard = await this.#definitions.takeGuard(namesGuard, groupOfDefinition(name));
    draft.guards = [...(draft.guards ?? []), guard];
    if (!hasUsedName(names, before, this.#usedNames(definition))) return [];
    throw conflict(groupResourceOf(this.#definitions.resource), name, 'another definition has got one of its names');
  }

  async #reconcileNow(name: string, options: ReconcileOptions): Promise<number | undefined> {
    if (this.#stopped) return undefined;
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) {
      if (!this.isShared) await this.#stopServing(name);
      return undefined;
    }
    const definition = definitionOf(object);
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    const isCleaned = !(object.metadata.finalizers ?? []).includes(definitionCleanupFinalizer);
    if (!isDeleting) return this.#establish(name, definition, options);
    return isCleaned || options.extent === 'establish' ? undefined : this.#cleanUp(name, definition, options);
  }

  /**
   * Serves a kind if its definition is established. Before this call, another process may have written, replaced or
   * removed the definition.
   */
  async #serveAsStored(name: string): Promise<void> {
    if (this.#stopped) return;
    const object = this.#definitions.peek('', name)?.object;
    const definition = object && definitionOf(object);
    if (definition !== undefined && isConditionTrue(definition, 'Established')) await this.#serve([definition]);
    else await this.#stopServing(name);
  }

  async #establish(name: string, definition: Definition, options: ReconcileOptions): Promise<number | undefined> {
    const { status, isServed } = establishResultOf(definition, this.#usedNames(definition), this.#options.clock.now());
    // Serve the kind before the status is written, so a client that waits for the condition can then use the kind. Not
    // in a shared store: another process may get the names first, so the kind is served only after its definition is
    // established.
    if (isServed && !this.isShared) await this.#serve([{ ...definition, status }]);
    options.onServed?.();
    if (isSameDefinitionStatus(status, definition.status)) return undefined;
    // Compute the status again from the newest object, because a new storage version may have been added.
    const newestStatus = (object: KubeObject) => {
      const newest = definitionOf(object);
      return establishResultOf(newest, this.#usedNames(newest), this.#options.clock.now()).status as JsonValue;
    };
    return this.#writeStatus(name, newestStatus, options);
  }

  /** Writes the status. If the definition was changed concurrently, returns 0, which requests another reconcile. */
  async #writeStatus(
    name: string,
    make: (object: KubeObject) => JsonValue,
    { fence }: ReconcileOptions,
  ): Promise<number | undefined> {
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) return 0;
    const next = cloneJson(object);
    next.status = make(object);
    try {
      await this.#definitions.status?.update(systemContext('', undefined, fence), name, next, write);
      return undefined;
    } catch (error) {
      if (isStale(error)) return 0;
      throw error;
    }
  }

  async #cleanUp(name: string, definition: Definition, options: ReconcileOptions): Promise<number | undefined> {
    const wasEstablished = isConditionTrue(definition, 'Established');
    const context = systemContext('', undefined, options.fence);
    const step = (condition: Omit<Condition, 'type'>) =>
      this.#writeStatus(name, (object) => withTerminating(object, condition, this.#options.clock.now()), options);
    if (wasEstablished) {
      if (!this.isShared) await this.#serve([definition]);
      options.onServed?.();
      await step({
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      });
      const store = this.#options.plane().kinds.get(name);
      await store?.verbs.deletecollection(context, everything, removal);
      if ((store?.count() ?? 0) > 0) return recheckMilliseconds;
    }
    await step(
      wasEstablished
        ? { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
        : { status: 'False', reason: 'NeverEstablished', message: 'resource was never established' },
    );
    return this.#release(name, context);
  }

  /** Removes the cleanup finalizer. This deletes the definition if it has no other finalizers. */
  async #release(name: string, context: RequestContext): Promise<number | undefined> {
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) return undefined;
    const next = cloneJson(object);
    next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((one) => one !== definitionCleanupFinalizer);
    try {
      await this.#definitions.verbs.update(context, name, next, write);
    } catch (error) {
      if (isStale(error)) return 0;
      throw error;
    }
    if (!this.isShared && this.#definitions.peek('', name) === undefined) await this.#stopServing(name);
    return undefined;
  }

  async #serve(definitions: readonly Definition[]): Promise<void> {
    const added: { name: string; digest: string; storedVersion: string; kind: AddedKind }[] = [];
    for (const definition of definitions) {
      const { name = '' } = definition.metadata;
      const terminating = isConditionTrue(definition, 'Terminating');
      const names = definition.status.acceptedNames ?? {};
      const content = JSON.stringify([definition.spec, names, terminating, definition.metadata.uid]);
      const digest = createHash('sha256').update(content).digest('base64');
      if (this.#served.get(name)?.digest === digest || this.#isBuiltIn(name)) continue;
      const before = this.#served.get(name)?.storedVersion;
      const storedVersion = storageVersionOf(definition);
      const hasNewStorageVersion = before !== undefined && before !== storedVersion;
      const shared = this.isShared ? this.#sharedKindState(name, terminating) : {};
      const kind = kindOfDefinition(definition, { names, terminating, hasNewStorageVersion, ...shared });
      if (kind !== undefined) added.push({ name, digest, storedVersion, kind });
    }
    if (added.length === 0) return;
    const plane = this.#options.plane();
    await plane.add(added.map(({ kind }) => kind));
    for (const { name, digest, storedVersion } of added) {
      this.#served.get(name)?.stop();
      const stop = plane.kinds.get(name)?.listen(({ after }) => this.#onObjectChange(name, after === undefined));
      this.#served.set(name, { digest, storedVersion, stop: stop ?? (() => {}) });
    }
  }

  /** Returns the parts of a kind's state that are needed if other processes may change its definition. */
  #sharedKindState(name: string, terminating: boolean): Pick<CustomKindState, 'definitionCheck' | 'requeues'> {
    const definitions = this.#definitions;
    const self = { resource: definitionsResourceKey, namespace: '', name };
    const isLast = () => (this.#options.plane().kinds.get(name)?.count() ?? 0) <= 1;
    return {
      definitionCheck: () => (this.#names.acceptsObjects(name) ? definitions.unchangedCheck('', name) : undefined),
      ...(terminating ? { requeues: (_old, next) => (next === undefined && isLast() ? [self] : []) } : {}),
    };
  }

  #onObjectChange(name: string, isGone: boolean): void {
    const { plane } = this.#options;
    // Do nothing in a shared store: `requeues` requeues the definition there when the last object is removed.
    if (this.isShared || !isGone || plane().kinds.get(name)?.count() !== 0) return;
    if (this.#definitions.peek('', name)?.object.metadata.deletionTimestamp === undefined) return;
    void this.reconcile(name).catch((error: unknown) => this.#report(name, error));
  }

  async #stopServing(name: string): Promise<void> {
    const served = this.#served.get(name);
    if (served === undefined) return;
    served.stop();
    this.#served.delete(name);
    await this.#options.plane().remove([name]);
  }

  /** Returns the names that other definitions of the API group and the plane's own kinds use. */
  #usedNames({ metadata, spec }: Definition): UsedNames {
    const { group = '' } = spec;
    const own = this.#options
      .plane()
      .resources()
      .map(({ kind }) => kind)
      .filter((kind) => kind.group === group && !this.#served.has(`${kind.plural}.${group}`));
    return this.#names.usedNamesIn(group, metadata.name ?? '', own);
  }

  /** True for a kind that is part of the plane itself. A CustomResourceDefinition cannot replace it. */
  #isBuiltIn(name: string): boolean {
    return this.#options.plane().kinds.has(name) && !this.#served.has(name);
  }

  get #definitions(): KindStore {
    const store = this.#options.plane().kinds.get(definitionsResourceKey);
    if (store === undefined) throw new Error('the plane was opened without the kind CustomResourceDefinition');
    return store;
  }

  #report(name: string, error: unknown): void {
    if (this.#stopped) return;
    this.#options.log.error(
      { definition: name, error: String(error) },
      'failed to reconcile a custom resource definition; maintenance retries it',
    );
  }
}

/** A change of a definition that is not yet in effect for the served kind. */
class UnservedChange {
  readonly group: string;
  readonly served: Promise<void>;
  onServed: () => void = () => {};

  constructor(group: string) {
    this.group = group;
    this.served = new Promise((resolve) => {
      this.onServed = resolve;
    });
  }
}

function withTerminating(object: KubeObject, condition: Omit<Condition, 'type'>, now: number): JsonValue {
  const definition = definitionOf(object);
  const before = conditionOf(definition, 'Terminating');
  const next: Condition = { ...before, ...condition, type: 'Terminating' };
  const conditions = setCondition([...(definition.status.conditions ?? [])], next, now);
  return { ...definition.status, conditions } as unknown as JsonValue;
}

function isStale(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 404 || error.status.reason === 'Conflict');
}
