import type { KubeObject } from '../../../api/meta.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import { addressesOf, healthCheckPortOf, specOf, takenNodePortsOf } from '../rules/services/service-spec.ts';
import { nodePorts, offsetOf, serviceRange } from './service-range.ts';
import { UsedNumbers } from './used-numbers.ts';

interface NumberRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The cluster IPs and node ports that the services of a plane use, and the addresses of its IPAddress objects. The
 * constructor reads all objects and then listens to their changes. Addresses are offsets in the range (`offsetOf`).
 */
export class UsedValues {
  readonly #serviceAddresses = new UsedNumbers(serviceRange.size);
  readonly #addressObjects = new UsedNumbers(serviceRange.size);
  readonly #ports = this.noPorts();

  constructor(services: KindStore, addresses: KindStore) {
    follow(services, {
      add: (object) => this.#addService(object),
      remove: (object) => this.#removeService(object),
      clear: () => {
        this.#serviceAddresses.clear();
        this.#ports.clear();
      },
    });
    follow(addresses, {
      add: ({ metadata }) => withOffset(metadata.name, (offset) => this.#addressObjects.add(offset)),
      remove: ({ metadata }) => withOffset(metadata.name, (offset) => this.#addressObjects.delete(offset)),
      clear: () => this.#addressObjects.clear(),
    });
  }

  hasAddress(offset: number): boolean {
    return this.#serviceAddresses.has(offset) || this.#addressObjects.has(offset);
  }

  /** Returns a free address in a range; `undefined` if there is none. `random` is a number from 0 to 1. */
  freeAddress(range: NumberRange, random: number): number | undefined {
    return this.#serviceAddresses.firstAbsent({ ...range, start: startIn(range, random) }, this.#addressObjects);
  }

  hasPort(port: number): boolean {
    return this.#ports.has(port - nodePorts.first);
  }

  /** Returns an empty set of ports for `freePort`. The set contains offsets in the range of node ports. */
  noPorts(): UsedNumbers {
    return new UsedNumbers(nodePorts.last - nodePorts.first + 1);
  }

  /** Returns a free port in a range that is not in `taken`; `undefined` if there is none. */
  freePort({ first, last }: NumberRange, random: number, taken: UsedNumbers): number | undefined {
    const range = { first: first - nodePorts.first, last: last - nodePorts.first };
    const found = this.#ports.firstAbsent({ ...range, start: startIn(range, random) }, taken);
    return found === undefined ? undefined : found + nodePorts.first;
  }

  #addService(object: KubeObject): void {
    const spec = specOf(object);
    for (const address of addressesOf(spec)) withOffset(address, (offset) => this.#serviceAddresses.add(offset));
    for (const offset of portOffsets(object)) this.#ports.add(offset);
  }

  #removeService(object: KubeObject): void {
    const spec = specOf(object);
    for (const address of addressesOf(spec)) withOffset(address, (offset) => this.#serviceAddresses.delete(offset));
    for (const offset of portOffsets(object)) this.#ports.delete(offset);
  }
}

function startIn({ first, last }: NumberRange, random: number): number {
  return first + Math.floor(random * (last - first + 1));
}

/** Returns the node ports of a service as offsets in the range of node ports. */
function portOffsets(object: KubeObject): readonly number[] {
  const spec = specOf(object);
  const all = [...takenNodePortsOf(spec), healthCheckPortOf(spec)];
  return all.filter((port) => port >= nodePorts.first && port <= nodePorts.last).map((port) => port - nodePorts.first);
}

function withOffset(address: string | undefined, use: (offset: number) => void): void {
  const offset = offsetOf(address ?? '');
  if (offset !== undefined) use(offset);
}

interface Follower {
  add(object: KubeObject): void;
  remove(object: KubeObject): void;
  clear(): void;
}

function follow(store: KindStore, { add, remove, clear }: Follower): void {
  const readAll = () => {
    clear();
    for (const { object } of store.peekAll()) add(object);
  };
  readAll();
  // After a reload, the store reports removals last. The address of a removed object may then already belong to another
  // object, so `readAll` reads all objects again.
  store.listen(({ before, after }) => {
    if (before !== undefined) remove(before.object);
    if (after !== undefined) add(after.object);
  }, readAll);
}
