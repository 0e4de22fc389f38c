import { createHash } from 'node:crypto';
import type { UsedNames } from '../../api/apiextensions/accepted-names.ts';
import { conditionOf, type Definition, definitionOf, isTrue } from '../../api/apiextensions/definition.ts';
import { type Condition, setCondition } from '../../api/conditions.ts';
import type { KubeObject } from '../../api/meta.ts';
import { StatusError } from '../../api/status.ts';
import { cloneJson, type JsonValue } from '../../lib/json-value.ts';
import { Lanes } from '../../lib/lanes.ts';
import type { KindStore } from '../../registry/kind-store.ts';
import { glanceAt } from '../../registry/verbs.ts';
import type { AddedKind } from '../control-plane.ts';
import type { PartDependencies } from '../plane-part.ts';
import { systemContext } from '../system-context.ts';
import { addedKind } from './added-kind.ts';
import { storedVersionOf } from './custom-versions.ts';
import { cleanupFinalizer, definitionsKey } from './definitions-resource.ts';
import { isSameStatus, outcomeOf } from './establish.ts';
import { GroupNames } from './group-names.ts';

const write = { dryRun: false, fieldManager: 'kube-apiserver', fieldValidation: 'Ignore' } as const;
const everything = { resourceVersion: '', resourceVersionMatch: '', limit: 0, continue: '' } as const;
const removal = { dryRun: false, gracePeriodSeconds: 0, propagationPolicy: undefined, preconditions: {} };

/** Objects with finalizers of their own keep a definition; who removes the last one is noticed at once, as a rule. */
const lookAgainMilliseconds = 5_000;

interface Served {
  /** Of what it was made of: a definition whose status alone has changed is not added again. */
  readonly digest: string;
  readonly storedVersion: string;
  stop(): void;
}

/**
 * The kinds that the definitions of a plane make: establishes definitions, serves what is established, and removes the
 * objects of those that go. Whatever is begun here can be begun again: it goes by what stands in the store.
 */
export class CustomKinds {
  readonly #options: PartDependencies;
  readonly #served = new Map<string, Served>();
  readonly #names = new GroupNames();
  /** Definitions of one group wait for each other: they may want the same names. */
  readonly #groups = new Lanes();
  #stopped = false;

  constructor(options: PartDependencies) {
    this.#options = options;
  }

  /** Serves what is established already, from the same moment. Returns how to stop. */
  async start(): Promise<() => void> {
    const known = this.#definitions.peekAll().map((served) => definitionOf(glanceAt(served)));
    for (const definition of known) this.#names.set(definition);
    await this.#serve(known.filter((definition) => isTrue(definition, 'Established')));
    const stopListening = this.#definitions.listen(({ before, after }) => {
      const name = (after ?? before)?.object.metadata.name ?? '';
      if (after === undefined) this.#names.delete(name);
      else this.#names.set(definitionOf(after.object));
      void this.settle(name).catch((error: unknown) => this.#report(name, error));
    });
    return () => {
      this.#stopped = true;
      stopListening();
      for (const { stop } of this.#served.values()) stop();
    };
  }

  waitingIn(group: string): string[] {
    return this.#names.waitingIn(group);
  }

  /** Brings everything in line with the definition of that name. A number: something is left to be looked at then. */
  async settle(name: string): Promise<number | undefined> {
    const group = name.slice(name.indexOf('.') + 1);
    return this.#groups.run(group, () => this.#settleNow(name));
  }

  async #settleNow(name: string): Promise<number | undefined> {
    if (this.#stopped) return undefined;
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) {
      await this.#forget(name);
      return undefined;
    }
    const definition = definitionOf(object);
    const isGoing = object.metadata.deletionTimestamp !== undefined;
    if (isGoing && (object.metadata.finalizers ?? []).includes(cleanupFinalizer))
      return this.#cleanUp(name, definition);
    if (isGoing) return undefined;
    return this.#establish(name, definition);
  }

  async #establish(name: string, definition: Definition): Promise<number | undefined> {
    const { status, isServed } = outcomeOf(definition, this.#usedNames(definition), this.#options.clock.now());
    // Served before it says so: whoever waits for the condition finds the kind.
    if (isServed) await this.#serve([{ ...definition, status }]);
    if (isSameStatus(status, definition.status)) return undefined;
    // Made anew of what stands there when it is written: a version may have been stored meanwhile.
    return this.#writeStatus(name, (object) => {
      const newest = definitionOf(object);
      return outcomeOf(newest, this.#usedNames(newest), this.#options.clock.now()).status as JsonValue;
    });
  }

  /** A definition that somebody has written meanwhile is looked at again. */
  async #writeStatus(name: string, make: (object: KubeObject) => JsonValue): Promise<number | undefined> {
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) return 0;
    const next = cloneJson(object);
    next.status = make(object);
    try {
      await this.#definitions.status?.update(systemContext(''), name, next, write);
      return undefined;
    } catch (error) {
      if (isOvertaken(error)) return 0;
      throw error;
    }
  }

  async #cleanUp(name: string, definition: Definition): Promise<number | undefined> {
    const wasEstablished = isTrue(definition, 'Established');
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
      if ((store?.count() ?? 0) > 0) return lookAgainMilliseconds;
    }
    await step(
      wasEstablished
        ? { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
        : { status: 'False', reason: 'NeverEstablished', message: 'resource was never established' },
    );
    return this.#release(name);
  }

  /** Takes the finalizer off; without others of its own the definition goes with it. */
  async #release(name: string): Promise<number | undefined> {
    const object = this.#definitions.peek('', name)?.object;
    if (object === undefined) return undefined;
    const next = cloneJson(object);
    next.metadata.finalizers = (next.metadata.finalizers ?? []).filter((one) => one !== cleanupFinalizer);
    try {
      await this.#definitions.verbs.update(systemContext(''), name, next, write);
    } catch (error) {
      if (isOvertaken(error)) return 0;
      throw error;
    }
    if (this.#definitions.peek('', name) === undefined) await this.#forget(name);
    return undefined;
  }

  async #serve(definitions: readonly Definition[]): Promise<void> {
    const added: { name: string; digest: string; storedVersion: string; kind: AddedKind }[] = [];
    for (const definition of definitions) {
      const { name = '' } = definition.metadata;
      const terminating = isTrue(definition, 'Terminating');
      const names = definition.status.acceptedNames ?? {};
      const content = JSON.stringify([definition.spec, names, terminating, definition.metadata.uid]);
      const digest = createHash('sha256').update(content).digest('base64');
      if (this.#served.get(name)?.digest === digest || this.#isOurs(name)) continue;
      const before = this.#served.get(name)?.storedVersion;
      const storedVersion = storedVersionOf(definition);
      const isStoredAnew = before !== undefined && before !== storedVersion;
      const kind = addedKind(definition, { names, terminating, isStoredAnew });
      if (kind !== undefined) added.push({ name, digest, storedVersion, kind });
    }
    if (added.length === 0) return;
    const plane = this.#options.plane();
    await plane.add(added.map(({ kind }) => kind));
    for (const { name, digest, storedVersion } of added) {
      this.#served.get(name)?.stop();
      const stop = plane.kinds.get(name)?.listen(({ after }) => this.#noticeRemoval(name, after === undefined));
      this.#served.set(name, { digest, storedVersion, stop: stop ?? (() => {}) });
    }
  }

  #noticeRemoval(name: string, isGone: boolean): void {
    const { plane } = this.#options;
    if (!isGone || plane().kinds.get(name)?.count() !== 0) return;
    if (this.#definitions.peek('', name)?.object.metadata.deletionTimestamp === undefined) return;
    void this.settle(name).catch((error: unknown) => this.#report(name, error));
  }

  async #forget(name: string): Promise<void> {
    const served = this.#served.get(name);
    if (served === undefined) return;
    served.stop();
    this.#served.delete(name);
    await this.#options.plane().remove([name]);
  }

  /** Of the others in its group, and of the kinds that the plane has by itself. */
  #usedNames({ metadata, spec }: Definition): UsedNames {
    const { group = '' } = spec;
    const own = this.#options
      .plane()
      .resources()
      .map(({ kind }) => kind)
      .filter((kind) => kind.group === group && !this.#served.has(`${kind.plural}.${group}`));
    return this.#names.usedIn(group, metadata.name ?? '', own);
  }

  /** A kind that the plane was opened with: no definition gets its place. */
  #isOurs(name: string): boolean {
    return this.#options.plane().kinds.has(name) && !this.#served.has(name);
  }

  get #definitions(): KindStore {
    const store = this.#options.plane().kinds.get(definitionsKey);
    if (store === undefined) throw new Error('this plane has no custom resource definitions');
    return store;
  }

  #report(name: string, error: unknown): void {
    if (this.#stopped) return;
    this.#options.log.error(
      { definition: name, error: String(error) },
      'a definition is not settled; upkeep tries again',
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

function isOvertaken(error: unknown): boolean {
  return error instanceof StatusError && (error.code === 404 || error.status.reason === 'Conflict');
}
