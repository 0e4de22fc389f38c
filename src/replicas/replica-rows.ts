import type { Key, KeyRange } from '../store/key.ts';
import type { Revision, Store } from '../store/store.ts';
import type { SchemaRange } from './store-schema.ts';

/**
 * The slice with the rows of all replicas. All writes in this slice are logged, because only checks of logged rows are
 * exact in every store.
 */
export const replicasSlice = 'replicas';

/** The properties of a replica that stay constant while its process runs. */
export interface ReplicaDetails {
  readonly version: string;
  readonly schemas: SchemaRange;
  /** The URL of the replica; empty if it is not known. */
  readonly address: string;
  /** A digest of the settings that must be equal on all replicas. */
  readonly settings: string;
  /** The host and port at which the replica listens for other replicas. Absent if it does not listen for them. */
  readonly peerAddress?: string | undefined;
}

/**
 * The row `members/<replica>`. The replica writes it once, when it registers. It is removed when the replica shuts down
 * or is expelled. Its revision is therefore constant while the replica is registered, and identifies the registration.
 */
export interface MemberRow extends ReplicaDetails {
  /** A random ID. A replica that registers again gets a new ID, so a removed registration never returns. */
  readonly registration: string;
}

/** The row `beats/<replica>`, which the replica replaces every second. */
export interface HeartbeatRow {
  readonly registration: string;
  readonly beat: number;
  /**
   * The wall clock of the replica in milliseconds since the epoch. Other replicas report the difference between this
   * clock and their own.
   */
  readonly time: number;
  readonly caches?: CacheState | undefined;
  /** The IDs of the root keys that the replica has; absent if they are in a KMS. */
  readonly rootKeys?: readonly string[] | undefined;
}

/**
 * The revision up to which the caches of the management API were complete, and the time that has passed since this was
 * confirmed.
 */
export interface CacheState {
  readonly revision: Revision;
  readonly ageMs: number;
}

/** The row `terms/<name>`. The replica with this registration holds the term, as long as it is registered. */
export interface TermRow {
  readonly holder: string;
  readonly registration: string;
}

/**
 * The row `former/<replica>` of a replica that is no longer registered. The row is written when the registration is
 * removed. It is deleted when the replica registers again, or after a month.
 */
export interface FormerRow {
  /** The time at which the registration was removed, in milliseconds since the epoch. */
  readonly leftAt: number;
  /** True if another replica has removed the registration, because the heartbeats had stopped. */
  readonly isExpelled: boolean;
}

export function memberKey(replica: string): Key {
  return { slice: replicasSlice, segments: ['members', replica] };
}

export function beatKey(replica: string): Key {
  return { slice: replicasSlice, segments: ['beats', replica] };
}

export function termKey(name: string): Key {
  return { slice: replicasSlice, segments: ['terms', name] };
}

export function formerKey(replica: string): Key {
  return { slice: replicasSlice, segments: ['former', replica] };
}

/**
 * The row `roster`, which every registration replaces. A transaction that checks this row proves that no replica has
 * registered in the meantime.
 */
export const rosterKey: Key = { slice: replicasSlice, segments: ['roster'] };

export interface StoredRow<Row> {
  readonly row: Row;
  readonly revision: Revision;
}

/** The rows of all replicas at one point in time. */
export interface ReplicaRows {
  readonly members: ReadonlyMap<string, StoredRow<MemberRow>>;
  readonly beats: ReadonlyMap<string, StoredRow<HeartbeatRow>>;
  readonly terms: ReadonlyMap<string, StoredRow<TermRow>>;
  readonly former: ReadonlyMap<string, StoredRow<FormerRow>>;
  /** The revision of the roster; `undefined` if it does not exist. */
  readonly roster: Revision | undefined;
}

const everything: KeyRange = { slice: replicasSlice, prefix: [] };

export async function readReplicaRows(store: Pick<Store, 'list'>): Promise<ReplicaRows> {
  const members = new Map<string, StoredRow<MemberRow>>();
  const beats = new Map<string, StoredRow<HeartbeatRow>>();
  const terms = new Map<string, StoredRow<TermRow>>();
  const former = new Map<string, StoredRow<FormerRow>>();
  let roster: Revision | undefined;
  const { entries } = await store.list(everything);
  for (const { key, value, revision } of entries) {
    const [type, name = ''] = key.segments;
    if (type === 'members') members.set(name, { row: JSON.parse(value) as MemberRow, revision });
    else if (type === 'beats') beats.set(name, { row: JSON.parse(value) as HeartbeatRow, revision });
    else if (type === 'terms') terms.set(name, { row: JSON.parse(value) as TermRow, revision });
    else if (type === 'former') former.set(name, { row: JSON.parse(value) as FormerRow, revision });
    else if (type === 'roster') roster = revision;
  }
  return { members, beats, terms, former, roster };
}

/** True if a registered replica holds the term. */
export function isHeld({ members }: ReplicaRows, { holder, registration }: TermRow): boolean {
  return members.get(holder)?.row.registration === registration;
}
