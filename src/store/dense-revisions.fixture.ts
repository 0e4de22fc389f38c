import { type Change, type Entry, propertiesOf, type Revision, type Store } from './store.ts';
import { StoreError } from './store-error.ts';

/** The offset of the revisions of unlogged rows, which have no number in the sequence of logged writes. */
const unloggedOffset = 1e12;

/**
 * Wraps a store. Its logged writes have the revisions 2, 3, 4 and so on, as in a new store in memory, so tests can
 * compare revisions with constants although etcd skips numbers. All processes of a test must use the same wrapper.
 */
export function denseRevisions(store: Store): Store {
  const numbers = new RevisionNumbers();
  const entryOf = (entry: Entry): Entry => ({ ...entry, revision: numbers.ofRow(entry.revision) });
  const changeOf = ({ previous, ...change }: Change): Change => {
    const before = previous && { ...previous, revision: numbers.ofRow(previous.revision) };
    return { ...change, revision: numbers.ofWrite(change.revision), ...(before && { previous: before }) };
  };
  const converted = async <T>(call: Promise<T>): Promise<T> => {
    try {
      return await call;
    } catch (error) {
      throw isAboutRevision(error)
        ? new StoreError(
            error.code,
            error.message,
            error.detail === undefined ? undefined : numbers.upTo(error.detail),
            {
              cause: error,
            },
          )
        : error;
    }
  };
  return {
    ...propertiesOf(store),
    async get(key) {
      const entry = await store.get(key);
      return entry && entryOf(entry);
    },
    async list(range, options = {}) {
      const { atRevision, ...rest } = options;
      const at = atRevision === undefined ? {} : { atRevision: numbers.original(atRevision) };
      const result = await converted(store.list(range, { ...rest, ...at }));
      return { ...result, entries: result.entries.map(entryOf), revision: numbers.upTo(result.revision) };
    },
    async transact({ checks = [], writes }) {
      const original = checks.map(({ key, revision }) => ({ key, revision: revision && numbers.original(revision) }));
      const revisions = await store.transact({ checks: original, writes });
      return revisions.map((revision) => revision && numbers.ofWrite(revision));
    },
    removePrefix: (range) => store.removePrefix(range),
    async revision(slice) {
      return numbers.upTo(await store.revision(slice));
    },
    observe: (range, since, observer) =>
      converted(
        store.observe(range, numbers.original(since), {
          changes: (changes, wakes) => observer.changes(changes.map(changeOf), wakes),
          ended: (error) => observer.ended(error),
        }),
      ),
    async history(range, since, { to, ...rest } = {}) {
      const limit = to === undefined ? {} : { to: numbers.original(to) };
      const chunk = await converted(store.history(range, numbers.original(since), { ...rest, ...limit }));
      return { changes: chunk.changes.map(changeOf), upTo: numbers.upTo(chunk.upTo) };
    },
    compact: (slice, upTo) => store.compact(slice, numbers.original(upTo)),
    assertWritable: () => store.assertWritable(),
    dump: () => store.dump(),
    close: () => store.close(),
  };
}

function isAboutRevision(error: unknown): error is StoreError {
  return error instanceof StoreError && (error.code === 'Expired' || error.code === 'FutureRevision');
}

/** Numbers revisions in the order in which they are seen. */
class RevisionNumbers {
  /** The original revisions by number. Numbers start at 1, the revision of a slice without writes. */
  readonly #originals: Revision[] = [0, 1];
  readonly #numbers = new Map<Revision, Revision>([[1, 1]]);

  /** Returns the number of a logged write. */
  ofWrite(original: Revision): Revision {
    const known = this.#numbers.get(original);
    if (known !== undefined) return known;
    const number = this.#originals.push(original) - 1;
    this.#numbers.set(original, number);
    return number;
  }

  /**
   * Returns the number of the write of a row. For an unlogged row, returns the row's revision plus an offset, so checks
   * can still refer to the revision.
   */
  ofRow(original: Revision): Revision {
    return this.#numbers.get(original) ?? unloggedOffset + original;
  }

  /** Returns the number of the last write up to this revision. */
  upTo(original: Revision): Revision {
    let number = this.#originals.length - 1;
    while (number > 0 && (this.#originals[number] ?? 0) > original) number--;
    return number;
  }

  original(number: Revision): Revision {
    if (number >= unloggedOffset) return number - unloggedOffset;
    const last = this.#originals.length - 1;
    // Converts a future revision to another future revision.
    return this.#originals[number] ?? (this.#originals[last] ?? 0) + (number - last) * 1_000;
  }
}
