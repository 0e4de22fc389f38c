import type { MessagePort } from 'node:worker_threads';
import { LinkClosedError, MessageLink } from '../../lib/link/message-link.ts';
import type { Log } from '../../lib/log.ts';
import type { DumpRow, Entry, ListResult, Revision, Store, StoreProperties } from '../store.ts';
import { storeClosedError } from '../store-error.ts';
import { PortObservers } from './port-observers.ts';
import { RevisionQuestions } from './revision-questions.ts';
import { decodeStoreError, type StoreClientMethods, type StoreServerMethods, storeErrors } from './store-port.ts';

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
  const observers = new PortObservers({ stopObserving: (id) => link.send('stopObserving', id), log });
  const pending = new Set<Promise<unknown>>();
  const heads = new Map<string, Revision>();
  const lists = new PartialLists();
  const questions = new RevisionQuestions((slice) => answered(() => link.call('revision', slice)));
  let isClosed = false;

  const link = new MessageLink<StoreClientMethods, StoreServerMethods>({
    port,
    errors: storeErrors,
    methods: {
      listed: (part) => lists.add(part),
      changes({ id, changes }) {
        for (const { key, revision } of changes) advance(key.slice, revision);
        observers.deliver(id, changes);
      },
      ended: ({ id, error }) => observers.end(id, decodeStoreError(error)),
    },
    onClose() {
      isClosed = true;
      observers.endAll(storeClosedError());
    },
  });

  function advance(slice: string, revision: Revision | undefined): void {
    if (ownsSlices && revision !== undefined && revision > (heads.get(slice) ?? 0)) heads.set(slice, revision);
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
    observe: (range, since, observer) =>
      observers.observe(observer, (id, add) =>
        answered(() => {
          add();
          return link.call('observe', { id, range, since });
        }),
      ),
    history: (range, since, options) => answered(() => link.call('history', { range, since, options })),
    compact: (slice, upTo) => answered(() => link.call('compact', { slice, upTo })),
    assertWritable: () => answered(() => link.call('assertWritable', undefined)),
    dump: () => readDump(link, answered),
    async close() {
      isClosed = true;
      await Promise.allSettled(pending);
      observers.endAll(storeClosedError());
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

  /**
   * Requests a list and gives it a new number. Returns the entries that arrived before the result, together with the
   * entries of the result.
   */
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
