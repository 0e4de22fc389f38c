import type { Revision } from '../store.ts';
import type { EtcdClient } from './client/etcd-client.ts';
import type { KeyValue } from './client/messages.ts';
import { txnMethod } from './client/methods.ts';
import type { KeySpace } from './key-space.ts';
import type { RevisionMap } from './revision-map.ts';
import { decodeHead } from './row-value.ts';

/** The last transaction with logged writes in a slice. */
export interface SlicePosition {
  readonly etcdRevision: number;
  readonly revision: Revision;
  /** The etcd revision of the first transaction with logged writes in the slice. */
  readonly firstEtcdRevision: number;
}

export function slicePosition(head: KeyValue | undefined, revisions: RevisionMap): SlicePosition | undefined {
  if (head === undefined) return undefined;
  const revision = revisions.revision(head.modRevision, decodeHead(head.value).last);
  return { etcdRevision: head.modRevision, revision, firstEtcdRevision: head.createRevision };
}

/** The slices of one request for positions, and the positions in the same order. */
interface PositionBatch {
  readonly slices: Map<string, number>;
  readonly positions: Promise<readonly (SlicePosition | undefined)[]>;
}

/** The maximum number of slices in one request for positions. */
const maxSlices = 100;

/**
 * Asks etcd for the current revisions of slices. Callers that arrive while a request is in progress share the next
 * request, so many readers cause few requests. A position is never older than the call of `ask`.
 */
export class SliceHeads {
  readonly #client: EtcdClient;
  readonly #keys: KeySpace;
  readonly #revisions: RevisionMap;
  #next: PositionBatch | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #isRunning = false;

  constructor(client: EtcdClient, keys: KeySpace, revisions: RevisionMap) {
    this.#client = client;
    this.#keys = keys;
    this.#revisions = revisions;
  }

  /** Returns the position of a slice; `undefined` if nothing was written to it. Rejects with EtcdError. */
  async ask(slice: string): Promise<SlicePosition | undefined> {
    const batch = this.#openBatch();
    const index = batch.slices.get(slice) ?? batch.slices.size;
    batch.slices.set(slice, index);
    return (await batch.positions)[index];
  }

  #openBatch(): PositionBatch {
    if (this.#next !== undefined && this.#next.slices.size < maxSlices) return this.#next;
    const slices = new Map<string, number>();
    const previous = this.#isRunning || this.#next !== undefined ? this.#running : Promise.resolve();
    const positions = previous.then(() => this.#send(slices));
    const batch = { slices, positions };
    this.#running = positions.catch(() => {});
    this.#next = batch;
    return batch;
  }

  async #send(slices: ReadonlyMap<string, number>): Promise<readonly (SlicePosition | undefined)[]> {
    if (this.#next?.slices === slices) this.#next = undefined;
    this.#isRunning = true;
    try {
      const success = [...slices.keys()].map((slice) => ({ range: { key: this.#keys.head(slice) } }));
      const { ranges } = await this.#client.call(txnMethod, { compare: [], success, failure: [] });
      return ranges.map((range) => slicePosition(range?.kvs[0], this.#revisions));
    } finally {
      this.#isRunning = false;
    }
  }
}
