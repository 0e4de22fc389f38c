import { type Clock, ManualClock } from '../lib/clock.ts';
import type { Key } from '../store/key.ts';
import { openMemoryStore } from '../store/memory.ts';
import type { Store, Transaction } from '../store/store.ts';
import { openReplicas } from './open-replicas.ts';
import { type TermRow, termKey } from './replica-rows.ts';
import type { Replicas } from './replicas.ts';
import type { SchemaRange } from './store-schema.ts';
import type { Tenure } from './tenure.ts';

/** The granularity of time in these tests. Every replica makes progress between two steps. */
const stepMs = 50;

/** Several replicas over one store in memory. Each of them can be paused like a process that gets SIGSTOP. */
export class TestReplicas {
  readonly clock = new ManualClock();
  readonly store = openMemoryStore({ clock: this.clock });
  readonly #replicas = new Map<string, TestReplica>();

  /** Starts a replica. `schemas` are the versions of the stored format that it supports. */
  start(id: string, schemas: SchemaRange = [1, 1]): TestReplica {
    const { clock, store } = this;
    const replica = new TestReplica(id, { clock, store, schemas });
    this.#replicas.set(id, replica);
    return replica;
  }

  async advance(milliseconds: number): Promise<void> {
    for (let passed = 0; passed < milliseconds; passed += stepMs) {
      this.clock.advance(Math.min(stepMs, milliseconds - passed));
      await settle();
    }
  }

  /** Advances the time until the condition is true. Returns the elapsed milliseconds. Throws after a minute. */
  async until(condition: () => boolean): Promise<number> {
    await settle();
    for (let passed = 0; passed <= 60_000; passed += stepMs) {
      if (condition()) return passed;
      await this.advance(stepMs);
    }
    throw new Error('the condition is not true after a minute');
  }

  /** Ends all replicas without an orderly shutdown. */
  crashAll(): void {
    for (const replica of this.#replicas.values()) replica.crash();
  }
}

/** Lets all promises that do not wait for time make progress. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A successful transaction of background work, with the holder of its term at the time of the commit. */
export interface CommittedWork {
  readonly replica: string;
  readonly fence: number | undefined;
  readonly term: string;
  readonly holder: TermRow | undefined;
  readonly registration: string;
}

export class TestReplica {
  readonly id: string;
  readonly replicas: Replicas;
  /** The current tenure; `undefined` if the replica may not work. */
  tenure: Tenure | undefined;
  /** The number of tenures so far. */
  tenures = 0;
  /** The messages that the replica has logged. */
  readonly messages: string[] = [];
  /** The error that all calls of the store reject with; `undefined` if the store can be reached. */
  outage: Error | undefined;
  /** Returns the time that the store takes for the next call, in milliseconds. */
  latency = () => 0;
  readonly #store: Store;
  readonly #clock: Clock;
  #isPaused = false;
  #isCrashed = false;
  /** The steps that are delayed until the replica is resumed: messages to and from the store, and timers. */
  #delayed: (() => void)[] = [];
  /** The number of writes in progress by term. */
  readonly #busy = new Map<string, number>();

  constructor(
    id: string,
    { clock, store, schemas }: { readonly clock: Clock; readonly store: Store; readonly schemas: SchemaRange },
  ) {
    this.id = id;
    const note = (_members: object, message: string) => void this.messages.push(message);
    this.#store = store;
    this.#clock = this.#pausable(clock);
    this.replicas = openReplicas({
      id,
      details: () => ({
        version: '1.0.0',
        schemas,
        address: `https://${id}`,
        settings: '',
        peerAddress: `${id}:1`,
      }),
      store: {
        isShared: true,
        get: (key) => this.#call(() => store.get(key)),
        list: (range, options) => this.#call(() => store.list(range, options)),
        transact: (transaction) => this.#call(() => store.transact(transaction)),
      },
      clock: this.#clock,
      log: { debug: note, info: note, warn: note, error: note },
    });
    this.replicas.run((tenure) => {
      this.tenure = tenure;
      this.tenures += 1;
      const removeWork = tenure.addWork({ isBusy: (term) => (this.#busy.get(term) ?? 0) > 0 });
      return async () => {
        this.tenure = undefined;
        removeWork();
      };
    });
    this.replicas.start();
  }

  owns(term: string): boolean {
    return this.tenure?.owns(term) ?? false;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    for (const step of this.#delayed.splice(0)) step();
  }

  crash(): void {
    this.pause();
    this.#isCrashed = true;
    this.#delayed = [];
  }

  /**
   * Writes for a term, as a controller does: in a transaction with the fence of the tenure in which the work started.
   * Rejects if the check of the fence fails. Returns `undefined` if the replica does not own the term.
   */
  async work(term: string): Promise<CommittedWork | undefined> {
    const { tenure } = this;
    if (tenure?.owns(term) !== true) return undefined;
    const { fence } = tenure;
    if (fence === undefined) throw new Error('the tenure has no fence');
    const key: Key = { slice: 'work', segments: [term] };
    const transaction: Transaction = { checks: [fence], writes: [{ key, value: this.id }] };
    this.#busy.set(term, (this.#busy.get(term) ?? 0) + 1);
    try {
      return await this.#call(async () => {
        // The memory store reads and writes before its first await, so `rows` are the rows at the commit.
        const committing = this.#store.transact(transaction);
        const holding = this.#store.get(termKey(term));
        const member = this.#store.get(fence.key);
        await committing;
        const holder = await holding;
        const registered = JSON.parse((await member)?.value ?? '{}') as { registration?: string };
        return {
          replica: this.id,
          fence: fence.revision,
          term,
          holder: holder && (JSON.parse(holder.value) as TermRow),
          registration: registered.registration ?? '',
        };
      });
    } catch (error) {
      this.replicas.reportFailedCheck(fence);
      throw error;
    } finally {
      this.#busy.set(term, (this.#busy.get(term) ?? 0) - 1);
    }
  }

  /** Sends a request to the store. While the replica is paused, neither the request nor its response proceeds. */
  async #call<T>(request: () => Promise<T>): Promise<T> {
    await this.#whileRunning();
    const latency = this.latency();
    if (latency > 0) await new Promise<void>((resolve) => this.#clock.after(latency, resolve));
    if (this.outage !== undefined) throw this.outage;
    const result = request();
    result.catch(() => {});
    await this.#whileRunning();
    return await result;
  }

  #whileRunning(): Promise<void> {
    if (!this.#isPaused) return Promise.resolve();
    return new Promise((resolve) => this.#delay(resolve));
  }

  #delay(step: () => void): void {
    if (!this.#isCrashed) this.#delayed.push(step);
  }

  #pausable(clock: Clock): Clock {
    const call = (callback: () => void) => () => (this.#isPaused ? this.#delay(callback) : callback());
    return {
      now: () => clock.now(),
      elapsed: () => clock.elapsed(),
      after: (milliseconds, callback) => clock.after(milliseconds, call(callback)),
      at: (time, callback) => clock.at(time, call(callback)),
    };
  }
}
