import { randomInt } from 'node:crypto';
import { ApiException, type CustomObjectsApi, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { buoyKind, type ResourceCollection } from './buoys.ts';

interface Buoy {
  readonly metadata: { name: string; uid: string; resourceVersion: string };
  spec: { displayName: string };
}

const names = 12;

/**
 * Concurrent writers to a few shared objects, so conflicts occur. Records the writes that the server has acknowledged.
 */
export class Writers {
  /** The uid of the written object, by the resourceVersion of each create, update and patch. */
  readonly written = new Map<number, string>();
  readonly deleted = new Set<string>();
  readonly counts: Record<string, number> = {};
  readonly #api: CustomObjectsApi;
  readonly #collection: ResourceCollection;
  #marks = 0;

  constructor(api: CustomObjectsApi, collection: ResourceCollection) {
    this.#api = api;
    this.#collection = collection;
  }

  async run(count: number, goesOn: () => boolean): Promise<void> {
    await Promise.all(
      Array.from({ length: count }, async () => {
        while (goesOn()) await this.#step(`churn-${randomInt(names)}`);
      }),
    );
  }

  async create(name: string): Promise<void> {
    const { group, version, namespace } = this.#collection;
    const body = {
      apiVersion: `${group}/${version}`,
      kind: buoyKind,
      metadata: { name, namespace },
      spec: { displayName: this.#mark() },
    };
    const made = await this.#attempt(
      'create',
      this.#api.createNamespacedCustomObject({ ...this.#collection, body }),
      [409],
    );
    this.#wrote(made);
  }

  async #step(name: string): Promise<void> {
    const dice = randomInt(100);
    if (dice < 15) return this.create(name);
    if (dice < 50) return this.#update(name, false);
    if (dice < 60) return this.#update(name, true);
    if (dice < 85) return this.#patch(name, dice % 2 === 0);
    if (await this.#delete(name)) {
      if (dice >= 92) {
        this.#count('delete and create');
        await this.create(name);
      }
    }
  }

  /**
   * Reads, changes and replaces the object, and starts again after a conflict with another writer. With `twice`, a
   * second write based on the same read must fail.
   */
  async #update(name: string, twice: boolean): Promise<void> {
    for (;;) {
      const read = await this.#get(name);
      if (read === undefined) return;
      const put = () => {
        const body = { ...read, spec: { ...read.spec, displayName: this.#mark() } };
        return this.#api.replaceNamespacedCustomObject({ ...this.#collection, name, body });
      };
      const changed = await this.#attempt('update', put(), [404, 409]);
      this.#wrote(changed);
      if (changed === undefined) continue;
      if (twice && (await this.#attempt('stale update', put(), [404, 409])) !== undefined) {
        throw new Error(`an update of ${name} from an old version was accepted`);
      }
      return;
    }
  }

  async #patch(name: string, merges: boolean): Promise<void> {
    const displayName = this.#mark();
    const body = merges
      ? { spec: { displayName } }
      : [{ op: 'replace', path: '/spec/displayName', value: displayName }];
    const options = setHeaderOptions('Content-Type', merges ? PatchStrategy.MergePatch : PatchStrategy.JsonPatch);
    const patching = this.#api.patchNamespacedCustomObject({ ...this.#collection, name, body }, options);
    this.#wrote(await this.#attempt('patch', patching, [404]));
  }

  /** Deletes the object that currently exists, by uid, so a successor with the same name is never deleted. */
  async #delete(name: string): Promise<boolean> {
    const read = await this.#get(name);
    if (read === undefined) return false;
    const { uid } = read.metadata;
    const body = { preconditions: { uid } };
    const deleting = this.#api.deleteNamespacedCustomObject({ ...this.#collection, name, body });
    if ((await this.#attempt('delete', deleting, [404, 409])) === undefined) return false;
    if (this.deleted.has(uid)) throw new Error(`${name} was deleted twice`);
    this.deleted.add(uid);
    return true;
  }

  #get(name: string): Promise<Buoy | undefined> {
    return this.#attempt('get', this.#api.getNamespacedCustomObject({ ...this.#collection, name }), [404]);
  }

  /** Returns the object; `undefined` if the server refused with one of the `expected` codes, which a race can cause. */
  async #attempt(what: string, call: Promise<unknown>, expected: readonly number[]): Promise<Buoy | undefined> {
    try {
      const answer = (await call) as Buoy;
      this.#count(what);
      return answer;
    } catch (error) {
      if (!(error instanceof ApiException) || !expected.includes(error.code)) throw error;
      this.#count(`${what}, ${error.code}`);
      return undefined;
    }
  }

  #wrote(object: Buoy | undefined): void {
    if (object === undefined) return;
    const version = Number(object.metadata.resourceVersion);
    if (this.written.has(version)) throw new Error(`version ${version} was assigned to two writes`);
    this.written.set(version, object.metadata.uid);
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #mark(): string {
    this.#marks++;
    return `mark ${this.#marks}`;
  }
}
