import { createHash } from 'node:crypto';
import { cloneJson, type JsonValue } from '@flotilla/json';
import type { UsedNames } from '../../api/apiextensions/accepted-names.ts';
import { conditionOf, type Definition, definitionOf, isConditionTrue } from '../../api/apiextensions/definition.ts';
import { type Condition, setCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { KeyedSerializer } from '../../lib/queue/keyed-serializer.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { peekWithoutManagedFields } from '../../registry/verbs.ts';
import type { AddedKind } from '../plane-kinds.ts';
import type { PartDependencies } from '../plane-part.ts';
import { systemContext } from '../system-context.ts';
import { storageVersionOf } from './custom-versions.ts';
import { DefinitionNamesByGroup } from './definition-names-by-group.ts';
import { definitionCleanupFinalizer, definitionsResourceKey } from './definitions-resource.ts';
import { establishResultOf, isSameDefinitionStatus } from './establish-result.ts';
import { kindOfDefinition } from './kind-of-definition.ts';

const write = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' } as const;
const everything = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' } as const;
const removal = { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, preconditions: {} };

/**
 * The interval for checking whether all custom resources of a deleted definition are gone. They may have finalizers.
 * Usually the deletion of the last one is noticed immediately, so this interval is only a fallback.
 */
const recheckMilliseconds = 5_000;

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
 */
export class CustomKindsController {
  readonly #options: PartDependencies;
  readonly #served = new Map<string, ServedDefinition>();
  readonly #names = new DefinitionNamesByGroup();
  /**
   * Runs the work for definitions of the same API group one after the other, because they may request the same names.
   */
  readonly #groups = new KeyedSerializer();
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
      void this.reconcile(name).catch((error: unknown) => this.#report(name, error));
    });
    return () => {
      this.#stopped = true;
      stopListening();
      for (const { stop } of this.#served.values()) stop();
    };
  }

  definitionsWaitingIn(group: string): string[] {
    return this.#names.definitionsWaitingIn(group);
  }

  /** Reconciles a CustomResourceDefinition. A returned number requests another call after that many milliseconds. */
  async reconcile(name: string): Promise<number | undefined> {
    const group = name.slice(name.indexOf('.') + 1);
    return this.#groups.run(group, () => this.#reconcileNow(name));
  }

  async #reconcileNow(name: string): Promise<number | undefined> {
    if (this.#stopped) return undefined;
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) {
      await this.#stopServing(name);
      return undefined;
    }
    const definition = definitionOf(object);
    const isDeleting = object.metadata.deletionTimestamp !== undefined;
    if (isDeleting && (object.metadata.finalizers ?? []).includes(definitionCleanupFinalizer))
      return this.#cleanUp(name, definition);
    if (isDeleting) return undefined;
    return this.#establish(name, definition);
  }

  async #establish(name: string, definition: Definition): Promise<number | undefined> {
    const { status, isServed } = establishResultOf(definition, this.#usedNames(definition), this.#options.clock.now());
    // The kind is served before the status is written. A client that waits for the condition can then use the kind.
    if (isServed) await this.#serve([{ ...definition, status }]);
    if (isSameDefinitionStatus(status, definition.status)) return undefined;
    // The status is computed again from the newest object, because a new storage version may have been added.
    return this.#writeStatus(name, (object) => {
      const newest = definitionOf(object);
      return establishResultOf(newest, this.#usedNames(newest), this.#options.clock.now()).status as JsonValue;
    });
  }

  /** Writes the status. Returns 0, which requests another reconcile, if the definition was changed concurrently. */
  async #writeStatus(name: string, make: (object: KubeObject) => JsonValue): Promise<number | undefined> {
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) return 0;
    const next = cloneJson(object);
    next.status = make(object);
    try {
      await this.#definitions.status?.update(systemContext(''), name, next, write);
      return undefined;
    } catch (error) {
      if (isStale(error)) return 0;
      throw error;
    }
  }

  async #cleanUp(name: string, definition: Definition): Promise<number | undefined> {
    const wasEstablished = isConditionTrue(definition, 'Established');
    const step = (condition: Omit<Condition, 'type'>) =>
      this.#writeStatus(name, (object) => withTerminating(object, condition, this.#options.clock.now()));
    if (wasEstablished) {
      await this.#serve([definition]);
      await step({
        status: 'True',
        reason: 'InstanceDeletionInProgress',
        message: 'CustomResource deletion is in progress',
      });
      const store = this.#options.plane().kinds.get(name);
      await store?.verbs.deletecollection(systemContext(''), everything, removal);
      if ((store?.count() ?? 0) > 0) return recheckMilliseconds;
    }
    await step(
      wasEstablished
        ? { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
        : { status: 'False', reason: 'NeverEstablished', message: 'resource was never established' },
    );
    return this.#release(name);
  }

  /** Removes the cleanup finalizer. This deletes the definition if it has no other finalizers. */
  async #release(name: string): Promise<number | undefined> {
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) return undefined;
    const next = cloneJson(object);
    next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((one) => one !== definitionCleanupFinalizer);
    try {
      await this.#definitions.verbs.update(systemContext(''), name, next, write);
    } catch (error) {
      if (isStale(error)) return 0;
      throw error;
    }
    if (this.#definitions.peek('', name) === undefined) await this.#stopServing(name);
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
      const kind = kindOfDefinition(definition, { names, terminating, hasNewStorageVersion });
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

  #onObjectChange(name: string, isGone: boolean): void {
    const { plane } = this.#options;
    if (!isGone || plane().kinds.get(name)?.count() !== 0) return;
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
