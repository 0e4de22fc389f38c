import type { MessagePort } from 'node:worker_threads';
import { LinkClosedError, MessageLink } from '../../lib/link/message-link.ts';
import type { Log } from '../../lib/log.ts';
import type { KeyRange } from '../key.ts';
import type { Change, DumpRow, Entry, ListResult, Observer, Revision, Store, StoreProperties } from '../store.ts';
import { StoreError, storeClosedError } from '../store-error.ts';
import { RevisionQuestions } from './revision-questions.ts';
import {
  decodeStoreError,
  type ObservationId,
  type StoreClientMethods,
  type StoreServerMethods,
  storeErrors,
} from './store-port.ts';

export interface ConnectStoreOptions {
  /** One end of a MessageChannel. `serveStore` serves the other end. */
  readonly port: MessagePort;
  /** The properties of the served store. */
  readonly properties: StoreProperties;
  /**
   * True if no other client and no other process writes to the slices that this client lists and observes. `revision`
   * then returns the highest revision that this client has received, without a message.
   */
  readonly ownsSlices: boolean;
  readonly log: Log;
}

/**
 * Connects to a store in another thread. The result has the guarantees of `Store` for all calls of this client: a
 * transaction resolves after the observers of this client have received its changes. `close` closes the connection, not
 * the store.
 */
export function connectStore({ port, properties, ownsSlices, log }: ConnectStoreOptions): Store {
  const observers = new Map<ObservationId, Observer>();
  const pending = new Set<Promise<unknown>>();
  const heads = new Map<string, Revision>();
  const lists = new PartialLists();
  const questions = new RevisionQuestions((slice) => answered(() => link.call('revision', slice)));
  let lastObservation = 0;
  let isClosed = false;

  const link = new MessageLink<StoreClientMethods, StoreServerMethods>({
    port,
    errors: storeErrors,
    methods: {
      listed: (part) => lists.add(part),
      changes({ id, changes }) {
        for (const { key, revision } of changes) advance(key.slice, revision);
        deliver(id, changes);
      },
      ended: ({ id, error }) => end(id, decodeStoreError(error)),
    },
    onClose() {
      isClosed = true;
      for (const id of [...observers.keys()]) end(id, storeClosedError());
    },
  });

  function advance(slice: string, revision: Revision | undefined): void {
    if (ownsSlices && revision !== undefined && revision > (heads.get(slice) ?? 0)) heads.set(slice, revision);
  }

  function deliver(id: ObservationId, changes: readonly Change[]): void {
    try {
      observers.get(id)?.changes(changes);
    } catch (error) {
      log.error({ error }, 'an observer of the store threw an exception; its observation has ended');
      link.send('stopObserving', id);
      end(id, new StoreError('Closed', 'the observer threw an exception'));
    }
  }

  function end(id: ObservationId, error: StoreError): void {
    const observer = observers.get(id);
    observers.delete(id);
    try {
      observer?.ended(error);
    } catch (thrown) {
      log.error({ error: thrown }, 'an observer of the store threw an exception at the end of its observation');
    }
  }

  /** Awaits a call. If the connection is closed before the result arrives, it is unknown whether the call succeeded. */
  function answered<T>(send: () => Promise<T>): Promise<T> {
    if (isClosed) return Promise.reject(storeClosedError());
    const result = send().catch((error: unknown) => {
      throw error instanceof LinkClosedError ? storeClosedError() : error;
    });
    pending.add(result);
    const forget = () => void pending.delete(result);
    result.then(forget, forget);
    return result;
  }

  async function observe(range: KeyRange, since: Revision, observer: Observer): Promise<() => void> {
    const id = ++lastObservation;
    const stop = () => {
      if (observers.delete(id)) link.send('stopObserving', id);
    };
    try {
      await answered(() => {
        observers.set(id, observer);
        return link.call('observe', { id, range, since });
      });
      return stop;
    } catch (error) {
      stop();
      throw error;
    }
  }

  return {
    ...properties,
    get: (key) => answered(() => link.call('get', key)),
    list: (range, options) =>
      answered(async () => {
        const result = await lists.receive((id) => link.call('list', { id, range, options }));
        if (options?.atRevision === undefined) advance(range.slice, result.revision);
        return result;
      }),
    transact: (transaction) =>
      answered(async () => {
        const revisions = await link.call('transact', transaction);
        for (const [index, { key }] of transaction.writes.entries()) advance(key.slice, revisions[index]);
        return revisions;
      }),
    removePrefix: (range) => answered(() => link.call('removePrefix', range)),
    revision(slice) {
      const known = isClosed ? undefined : heads.get(slice);
      return known ?? questions.ask(slice);
    },
    observe,
    history: (range, since, options) => answered(() => link.call('history', { range, since, options })),
    compact: (slice, upTo) => answered(() => link.call('compact', { slice, upTo })),
    assertWritable: () => answered(() => link.call('assertWritable', undefined)),
    dump: () => readDump(link, answered),
    async close() {
      isClosed = true;
      await Promise.allSettled(pending);
      for (const id of [...observers.keys()]) end(id, storeClosedError());
      link.close();
    },
  };
}

async function* readDump(
  link: MessageLink<StoreClientMethods, StoreServerMethods>,
  answered: <T>(send: () => Promise<T>) => Promise<T>,
): AsyncGenerator<DumpRow> {
  const dump = await answered(() => link.call('openDump', undefined));
  try {
    for (;;) {
      const rows = await answered(() => link.call('readDump', dump));
      if (rows.length === 0) return;
      yield* rows;
    }
  } finally {
    link.send('closeDump', dump);
  }
}

/** The entries of lists that have not been received completely. */
class PartialLists {
  readonly #entries = new Map<number, Entry[]>();
  #last = 0;

  add({ id, entries }: Parameters<StoreClientMethods['listed']>[0]): void {
    const received = this.#entries.get(id);
    if (received !== undefined) for (const entry of entries) received.push(entry);
  }

  /** Requests a list with a new number. Returns the parts that arrived before the result together with the result. */
  async receive(request: (id: number) => Promise<ListResult>): Promise<ListResult> {
    const id = ++this.#last;
    const entries: Entry[] = [];
    this.#entries.set(id, entries);
    try {
      const result = await request(id);
      return entries.length === 0 ? result : { ...result, entries: [...entries, ...result.entries] };
    } finally {
      this.#entries.delete(id);
    }
  }
}
