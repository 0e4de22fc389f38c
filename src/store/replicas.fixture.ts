import { openMemoryStore } from './memory.ts';
import type { Change, Observer, Revision, Store } from './store.ts';
import type { StoreError } from './store-error.ts';

/**
 * Controls when the observers of one replica receive changes. An open gate delivers every change at once.
 *
 * A held gate has the guarantees of `Store` and no others: the observers of a slice receive the waiting changes of that
 * slice before `revision` returns their revision, and before a transaction of this replica that writes to that slice
 * resolves. `get` and `list` always return the current rows, so rows can be newer than caches.
 */
export interface ReplicaGate {
  /** Keeps all further changes back until `deliver`, `open`, or a call of the replica's store that guarantees delivery. */
  hold(): void;
  /**
   * Delivers the oldest waiting changes, as `count` calls of observers; all waiting changes if `count` is absent. The
   * gate stays held.
   */
  deliver(count?: number): void;
  /** Delivers all waiting changes, and all later changes at once. */
  open(): void;
  /**
   * Cuts the replica off: every call of its store waits until `reconnect`, and its observers receive nothing, as if the
   * network to etcd were interrupted.
   */
  disconnect(): void;
  /** Ends `disconnect`. The gate is held or open as before. */
  reconnect(): void;
  /** The number of calls of observers that wait. */
  readonly waiting: number;
}

/** One replica over a shared store. */
export interface Replica<Env> {
  readonly env: Env;
  /** The store as this replica sees it. `isShared` is true. */
  readonly store: Store;
  readonly gate: ReplicaGate;
}

export interface Replicas<Env> {
  /** The store that all replicas share. Its observers receive changes at once. */
  readonly shared: Store;
  readonly replicas: readonly Replica<Env>[];
}

/**
 * Opens several replicas over one memory store, one after another, with open gates. `open` opens whatever a test needs
 * over the store of a replica: a kind, a plane, the management API, or the built-in cluster.
 */
export async function openReplicas<Env>(
  count: number,
  open: (store: Store, index: number) => Env | Promise<Env>,
  shared: Store = openMemoryStore(),
): Promise<Replicas<Env>> {
  const replicas: Replica<Env>[] = [];
  for (let index = 0; index < count; index++) {
    const { store, gate } = gatedStore(shared);
    replicas.push({ env: await open(store, index), store, gate });
  }
  return { shared, replicas };
}

/**
 * Opens two replicas over one memory store, so that a test finds defects of several replicas without etcd. `current` is
 * up to date; `delayed` receives the changes of `current` late, as `gate` decides. A typical test:
 *
 * ```ts
 * const { current, delayed, gate } = await twoReplicas((store) => openPlaneTestEnv({ store, clock }));
 * gate.hold();
 * await current.create('widgets.test.example', 'one'); // the caches of `delayed` do not contain it yet
 * await delayed.maintenance.idle(); // must wait for the revision of the plane before it reads a cache
 * ```
 *
 * Both replicas need the same clock, and the same keys if they encrypt or sign. Pass them to `open`. The test closes what
 * `open` opened.
 */
export async function twoReplicas<Env>(
  open: (store: Store, index: number) => Env | Promise<Env>,
  shared: Store = openMemoryStore(),
): Promise<{ current: Env; delayed: Env; gate: ReplicaGate; shared: Store }> {
  const { replicas } = await openReplicas(2, open, shared);
  const [first, second] = replicas;
  if (first === undefined || second === undefined) throw new Error('two replicas were requested');
  return { current: first.env, delayed: second.env, gate: second.gate, shared };
}

/** Returns the store of a replica, and the gate before its observers. */
export function gatedStore(shared: Store): { store: Store; gate: ReplicaGate } {
  const deliveries = new Deliveries();
  const connected = <T>(call: () => Promise<T>): Promise<T> => deliveries.connected().then(call);
  const changes: Partial<Store> = {
    isShared: true,
    get: (key) => connected(() => shared.get(key)),
    list: (range, options) => connected(() => shared.list(range, options)),
    history: (range, since, options) => connected(() => shared.history(range, since, options)),
    removePrefix: (range) => connected(() => shared.removePrefix(range)),
    assertWritable: () => connected(() => shared.assertWritable()),
    async transact(transaction) {
      const revisions = await connected(() => shared.transact(transaction));
      await deliveries.connected();
      for (const [index, { key }] of transaction.writes.entries()) deliveries.deliverUpTo(key.slice, revisions[index]);
      return revisions;
    },
    async revision(slice) {
      const revision = await connected(async () => shared.revision(slice));
      await deliveries.connected();
      deliveries.deliverUpTo(slice, revision);
      return revision;
    },
    observe: (range, since, observer) =>
      connected(async () => {
        const delayed = deliveries.delayed(range.slice, observer);
        const stop = await shared.observe(range, since, delayed);
        return () => {
          stop();
          delayed.stop();
        };
      }),
  };
  const store = new Proxy(shared, {
    get(target, name) {
      const own: unknown = Reflect.get(changes, name);
      if (own !== undefined) return own;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
  return { store, gate: deliveries };
}

/** A call of an observer that is held at a gate. */
interface Delivery {
  readonly slice: string;
  /** The revision of the first change. `undefined` for the end of an observation, which is delivered in order. */
  readonly revision: Revision | undefined;
  run(): void;
}

class Deliveries implements ReplicaGate {
  #isHeld = false;
  #queue: Delivery[] = [];
  #reconnected: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  get waiting(): number {
    return this.#queue.length;
  }

  hold(): void {
    this.#isHeld = true;
  }

  deliver(count = Number.POSITIVE_INFINITY): void {
    for (let delivered = 0; delivered < count; delivered++) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      next.run();
    }
  }

  open(): void {
    this.#isHeld = false;
    if (this.#reconnected === undefined) this.deliver();
  }

  disconnect(): void {
    if (this.#reconnected !== undefined) return;
    let resolve = () => {};
    const promise = new Promise<void>((resolved) => {
      resolve = resolved;
    });
    this.#reconnected = { promise, resolve };
  }

  reconnect(): void {
    const { resolve } = this.#reconnected ?? {};
    this.#reconnected = undefined;
    if (!this.#isHeld) this.deliver();
    resolve?.();
  }

  /** Resolves when the replica is not cut off. */
  async connected(): Promise<void> {
    while (this.#reconnected !== undefined) await this.#reconnected.promise;
  }

  /** Delivers the waiting changes of a slice up to a revision, in order. */
  deliverUpTo(slice: string, revision: Revision | undefined): void {
    if (revision === undefined) return;
    const due = (delivery: Delivery) => delivery.slice === slice && (delivery.revision ?? 0) <= revision;
    const ready = this.#queue.filter(due);
    this.#queue = this.#queue.filter((delivery) => !due(delivery));
    for (const delivery of ready) delivery.run();
  }

  /** Returns an observer that passes its calls to `observer` when the gate delivers them. */
  delayed(slice: string, observer: Observer): Observer & { stop(): void } {
    let isStopped = false;
    const add = (revision: Revision | undefined, call: () => void) => {
      const run = () => {
        if (!isStopped) call();
      };
      if (this.#isHeld || this.#reconnected !== undefined) this.#queue.push({ slice, revision, run });
      else run();
    };
    return {
      changes: (changes: readonly Change[]) => add(changes[0]?.revision, () => observer.changes(changes)),
      ended: (error: StoreError) => add(undefined, () => observer.ended(error)),
      stop: () => {
        isStopped = true;
      },
    };
  }
}
