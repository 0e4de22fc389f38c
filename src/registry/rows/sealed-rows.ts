import { isKeyInRange, type Key, type KeyRange } from '../../store/key.ts';
import { type Change, type Entry, type Observer, propertiesOf, type Store } from '../../store/store.ts';
import type { RowReceiver, RowState } from '../cache/missed-changes.ts';
import type { SliceObjects } from '../cache/slice-objects.ts';
import type { RowSealing } from '../resource.ts';

/**
 * Wraps a store so that all values in one key range are encrypted at rest, also in history and in backups. Callers read
 * and write plaintext. A sealed value is bound to its key, so it cannot be decrypted under another key.
 */
export function storeWithSealedRows(store: Store, range: KeyRange, sealing: RowSealing): Store {
  const isSealed = (requested: KeyRange) =>
    requested.slice === range.slice && range.prefix.every((segment, at) => requested.prefix[at] === segment);
  return {
    ...propertiesOf(store),
    limits: { valueBytes: clearBytesIn(store.limits.valueBytes) },
    async get(key) {
      const entry = await store.get(key);
      return entry !== undefined && isKeyInRange(range, key) ? openedEntry(sealing, entry) : entry;
    },
    async list(requested, options) {
      const result = await store.list(requested, options);
      if (!isSealed(requested)) return result;
      return { ...result, entries: result.entries.map((entry) => openedEntry(sealing, entry)) };
    },
    transact: (transaction) =>
      store.transact({
        ...transaction,
        writes: transaction.writes.map((write) =>
          write.value === undefined || !isKeyInRange(range, write.key)
            ? write
            : { ...write, value: sealing.seal(purposeOf(write.key), write.value) },
        ),
      }),
    removePrefix: (requested) => store.removePrefix(requested),
    revision: (slice) => store.revision(slice),
    observe: (requested, since, observer) =>
      store.observe(requested, since, isSealed(requested) ? openingObserver(sealing, observer) : observer),
    async history(requested, since, options) {
      const { changes, upTo } = await store.history(requested, since, options);
      return { changes: isSealed(requested) ? changes.map((change) => openedChange(sealing, change)) : changes, upTo };
    },
    compact: (slice, upTo) => store.compact(slice, upTo),
    assertWritable: () => store.assertWritable(),
    dump: () => store.dump(),
    close: () => store.close(),
  };
}

/**
 * Returns the maximum size of a plaintext value whose sealed form has at most `sealedBytes` bytes. Sealing adds base64,
 * version, nonce and tag.
 */
function clearBytesIn(sealedBytes: number): number {
  return Math.floor((sealedBytes * 3) / 4) - 64;
}

/** Wraps the shared rows of a plane for a kind whose rows are sealed. The wrapper returns the rows decrypted. */
export function unsealedSliceObjects(
  shared: Pick<SliceObjects, 'rowsOf' | 'join'>,
  sealing: RowSealing,
): Pick<SliceObjects, 'rowsOf' | 'join'> {
  return {
    rowsOf(resource) {
      const rows = shared.rowsOf(resource);
      if (rows === undefined) return undefined;
      return { ...openedRows(sealing, rows), observe: (receiver) => rows.observe(openingReceiver(sealing, receiver)) };
    },
    join: (resource, start) =>
      shared.join(resource, (rows, observation) => {
        const { opened, receiver } = start(openedRows(sealing, rows), observation);
        return { opened, receiver: openingReceiver(sealing, receiver) };
      }),
  };
}

function openedRows(sealing: RowSealing, { entries, revision }: RowState): RowState {
  return { entries: entries.map((entry) => openedEntry(sealing, entry)), revision };
}

function openingReceiver(sealing: RowSealing, receiver: RowReceiver): RowReceiver {
  return {
    ...openingObserver(sealing, receiver),
    interrupted: () => receiver.interrupted(),
    missedChanges: (current) => receiver.missedChanges(openedRows(sealing, current)),
    reloaded: (revision) => receiver.reloaded(revision),
  };
}

function openedEntry(sealing: RowSealing, entry: Entry): Entry {
  return { ...entry, value: sealing.open(purposeOf(entry.key), entry.value) };
}

function openedChange(sealing: RowSealing, change: Change): Change {
  const { key, value, previous } = change;
  return {
    ...change,
    ...(value === undefined ? {} : { value: sealing.open(purposeOf(key), value) }),
    ...(previous === undefined
      ? {}
      : { previous: { ...previous, value: sealing.open(purposeOf(key), previous.value) } }),
  };
}

function openingObserver(sealing: RowSealing, observer: Observer): Observer {
  return {
    changes: (changes, wakes) =>
      observer.changes(
        changes.map((change) => openedChange(sealing, change)),
        wakes,
      ),
    ended: (error) => observer.ended(error),
  };
}

/** Returns the text that binds a sealed value to its key. Segments contain no NUL, so the text is unique per key. */
function purposeOf({ slice, segments }: Key): string {
  return ['row', slice, ...segments].join('\0');
}
