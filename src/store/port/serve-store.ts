import type { MessagePort } from 'node:worker_threads';
import { MessageLink } from '../../lib/link/message-link.ts';
import { yieldToEventLoop } from '../../lib/work-budget.ts';
import type { DumpRow, Entry, Store } from '../store.ts';
import { StoreError } from '../store-error.ts';
import {
  encodeStoreError,
  type ObservationId,
  type StoreClientMethods,
  type StoreServerMethods,
  storeErrors,
} from './store-port.ts';

/** The maximum number of dump rows in one message. */
const dumpRowsPerMessage = 500;

/** The approximate number of characters in one message with entries of a list. */
const charactersPerMessage = 512 * 1024;

function partsOf(entries: readonly Entry[]): Entry[][] {
  const parts: Entry[][] = [];
  let length = charactersPerMessage;
  for (const entry of entries) {
    if (length >= charactersPerMessage) {
      parts.push([]);
      length = 0;
    }
    parts.at(-1)?.push(entry);
    length += entry.value.length + charactersPerEntry;
  }
  return parts;
}

/** The approximate number of characters of a key, which is copied too. */
const charactersPerEntry = 200;

/** An observation and the function that ends it. `stop` is absent until the store has started the observation. */
type Observation = { stop?: () => void };

/**
 * Serves a store to a client in another thread, which `connectStore` connects to the other end of the port. When the
 * port is closed or the other thread ends, all observations of the client end. Returns a function that closes the port.
 */
export function serveStore(store: Store, port: MessagePort): () => void {
  const observations = new Map<ObservationId, Observation>();
  const dumps = new Map<number, AsyncIterator<DumpRow>>();
  let lastDump = 0;

  const methods: StoreServerMethods = {
    get: (key) => store.get(key),
    async list({ id, range, options }) {
      const result = await store.list(range, options);
      const parts = partsOf(result.entries);
      const last = parts.pop() ?? [];
      for (const entries of parts) {
        link.send('listed', { id, entries });
        // Copying a part takes milliseconds, so other work may use the thread in between.
        await yieldToEventLoop();
      }
      return { ...result, entries: last };
    },
    transact: (transaction) => store.transact(transaction),
    removePrefix: (range) => store.removePrefix(range),
    revision: (slice) => store.revision(slice),
    async observe({ id, range, since }) {
      const observation: Observation = {};
      observations.set(id, observation);
      const stop = await store.observe(range, since, {
        changes: (changes) => link.send('changes', { id, changes }),
        ended: (error) => link.send('ended', { id, error: encodeStoreError(error) }),
      });
      // The client may have stopped the observation while it was starting.
      if (observations.get(id) === observation) observation.stop = stop;
      else stop();
    },
    stopObserving(id) {
      observations.get(id)?.stop?.();
      observations.delete(id);
    },
    history: ({ range, since, options }) => store.history(range, since, options),
    compact: ({ slice, upTo }) => store.compact(slice, upTo),
    assertWritable: () => store.assertWritable(),
    openDump() {
      lastDump += 1;
      dumps.set(lastDump, store.dump()[Symbol.asyncIterator]());
      return lastDump;
    },
    async readDump(dump) {
      const iterator = dumps.get(dump);
      if (iterator === undefined) throw new StoreError('Closed', 'the dump is closed');
      const rows: DumpRow[] = [];
      while (rows.length < dumpRowsPerMessage) {
        const next = await iterator.next();
        if (next.done === true) break;
        rows.push(next.value);
      }
      return rows;
    },
    closeDump,
  };

  function closeDump(dump: number): void {
    const iterator = dumps.get(dump);
    dumps.delete(dump);
    // A dump only reads, so an error has no effect when the dump is abandoned.
    void iterator?.return?.().catch(() => {});
  }

  const link = new MessageLink<StoreServerMethods, StoreClientMethods>({
    port,
    methods,
    errors: storeErrors,
    onClose() {
      for (const { stop } of observations.values()) stop?.();
      observations.clear();
      for (const dump of dumps.keys()) closeDump(dump);
    },
  });
  return () => link.close();
}
