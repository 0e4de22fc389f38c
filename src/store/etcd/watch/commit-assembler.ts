import type { LoggedChange } from '../../embedded/stage.ts';
import { decodeKey } from '../../key.ts';
import type { Change, Revision } from '../../store.ts';
import type { WatchEvent, WatchResponse } from '../client/watch-messages.ts';
import type { KeySpace } from '../key-space.ts';
import type { RevisionMap } from '../revision-map.ts';
import { decodeHead, decodeRow, type SliceHead } from '../row-value.ts';

/** The effects of one etcd revision on a store. */
export interface Commit {
  readonly etcdRevision: number;
  /** The logged writes in the order of their revisions. */
  readonly logged: readonly LoggedChange[];
  /** The IDs of the transactions. A transaction has one ID for each slice. */
  readonly transactions: readonly string[];
  readonly removedSlices: readonly string[];
  /** The etcd revision up to which a replica is about to compact etcd. */
  readonly compaction?: number;
  /**
   * The highest revision of a change whose `previous` is missing although the row existed, because etcd has compacted
   * the previous value. 0 if there is no such change.
   */
  readonly incomplete: Revision;
}

/**
 * Converts the events of a watch to commits. Only fragments can split the events of one etcd revision over several
 * responses, so the events of the last revision are held back until the last fragment has arrived.
 */
export class CommitAssembler {
  readonly #keys: KeySpace;
  readonly #revisions: RevisionMap;
  #held: WatchEvent[] = [];

  constructor(keys: KeySpace, revisions: RevisionMap) {
    this.#keys = keys;
    this.#revisions = revisions;
  }

  add({ events, isFragment }: WatchResponse): Commit[] {
    const commits: Commit[] = [];
    for (const event of events) {
      const first = this.#held[0];
      if (first !== undefined && first.kv.modRevision !== event.kv.modRevision) commits.push(this.#release());
      this.#held.push(event);
    }
    if (!isFragment && this.#held.length > 0) commits.push(this.#release());
    return commits;
  }

  #release(): Commit {
    const events = this.#held;
    this.#held = [];
    return assembleCommit(events, this.#keys, this.#revisions);
  }
}

interface RowEvent {
  readonly text: string;
  readonly event: WatchEvent;
}

function assembleCommit(events: readonly WatchEvent[], keys: KeySpace, revisions: RevisionMap): Commit {
  const heads = new Map<string, SliceHead>();
  const rows: RowEvent[] = [];
  const removedSlices: string[] = [];
  let compaction: number | undefined;
  for (const event of events) {
    const key = keys.parseWatched(event.kv.key);
    if (key.kind === 'row') rows.push({ text: key.text, event });
    else if (event.isRemoval) continue;
    else if (key.kind === 'head') heads.set(key.slice, decodeHead(event.kv.value));
    else if (key.kind === 'removedSlice') removedSlices.push(key.slice);
    else if (key.kind === 'compaction') compaction = Number(event.kv.value);
  }
  const { logged, incomplete } = loggedChanges(rows, heads, revisions);
  return {
    etcdRevision: events[0]?.kv.modRevision ?? 0,
    logged,
    transactions: [...heads.values()].map(({ transaction }) => transaction),
    removedSlices,
    ...(compaction !== undefined && { compaction }),
    incomplete,
  };
}

function loggedChanges(rows: readonly RowEvent[], heads: ReadonlyMap<string, SliceHead>, revisions: RevisionMap) {
  const logged: LoggedChange[] = [];
  const removalsSeen = new Map<string, number>();
  let incomplete = 0;
  for (const { text, event } of rows) {
    const key = decodeKey(text);
    const head = heads.get(key.slice);
    // Skips rows that were written without the head of their slice. Only the removal of a whole slice writes such rows.
    if (head === undefined) continue;
    const { kv, isRemoval } = event;
    const stored = isRemoval ? undefined : decodeRow(kv.value);
    let index = stored?.index;
    if (index === undefined) {
      const seen = removalsSeen.get(key.slice) ?? 0;
      removalsSeen.set(key.slice, seen + 1);
      index = head.removals[seen] ?? 0;
    }
    const revision = revisions.revision(kv.modRevision, index);
    const previous = previousOf(event, revisions);
    if (previous === undefined && (isRemoval || kv.createRevision !== kv.modRevision)) {
      incomplete = Math.max(incomplete, revision);
    }
    const value = stored === undefined ? undefined : { value: stored.value };
    logged.push({ text, change: { revision, key, ...value, ...(previous && { previous }) } });
  }
  logged.sort((a, b) => a.change.revision - b.change.revision);
  return { logged, incomplete };
}

function previousOf({ previous }: WatchEvent, revisions: RevisionMap): Change['previous'] {
  if (previous === undefined) return undefined;
  const { index, value } = decodeRow(previous.value);
  return { value, revision: revisions.revision(previous.modRevision, index) };
}
