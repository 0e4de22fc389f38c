import assert from 'node:assert/strict';
import type { Change, Revision, Store } from '../../../src/store/store.ts';
import { crashSlice, crashWriters, crashWrites } from './crash-writes.ts';

interface Acknowledged {
  readonly writer: number;
  readonly count: number;
  readonly revisions: readonly (Revision | undefined)[];
}

const everything = { slice: crashSlice, prefix: [] };

/** The acknowledgments that the writers printed, and the expected content of the store after all rounds so far. */
export class CrashLedger {
  #round = 0;
  #acknowledged: Acknowledged[] = [];
  #ready: Revision | undefined;
  /** The highest revision of the store at the last verification. */
  #revision: Revision = 1;
  readonly #state = new Map<string, { value: string; revision: Revision }>();
  #totalAcknowledged = 0;
  #totalFound = 0;

  get totals(): { acknowledged: number; found: number } {
    return { acknowledged: this.#totalAcknowledged, found: this.#totalFound };
  }

  beginRound(round: number): void {
    this.#round = round;
    this.#acknowledged = [];
    this.#ready = undefined;
  }

  record(line: string): void {
    const [word, ...rest] = line.split(' ');
    if (word === 'ready') this.#ready = Number(rest[0]);
    else if (word === 'ack') {
      const [writer, count, ...revisions] = rest.map((number) => (number === '-' ? undefined : Number(number)));
      this.#acknowledged.push({ writer: writer ?? -1, count: count ?? -1, revisions });
      this.#totalAcknowledged++;
    }
  }

  async verify(store: Store): Promise<void> {
    if (this.#ready !== undefined) assert.equal(this.#ready, this.#revision, 'the revision changed while nobody wrote');
    const revision = await store.revision(crashSlice);
    assert.ok(revision >= this.#revision, `the revision went back from ${this.#revision} to ${revision}`);
    const { changes } = await store.history(everything, this.#revision);
    this.#totalFound += changes.length;
    this.#assertInOrder(changes, revision);
    this.#assertNothingLost(changes);
    this.#assertNoPhantoms(changes);
    this.#replay(changes);
    await this.#assertStateIs(store);
    await assertResumable(store, this.#revision, changes);
    this.#revision = revision;
  }

  /**
   * Verifies that the revisions of the changes follow each other without gaps. Nothing but the writers writes to the
   * store.
   */
  #assertInOrder(changes: readonly Change[], highest: Revision): void {
    const expected = Array.from({ length: highest - this.#revision }, (_, index) => this.#revision + 1 + index);
    assert.deepEqual(
      changes.map((change) => change.revision),
      expected,
      'revisions are duplicated, missing or out of order',
    );
  }

  #assertNothingLost(changes: readonly Change[]): void {
    const byRevision = new Map(changes.map((change) => [change.revision, change]));
    for (const { writer, count, revisions } of this.#acknowledged) {
      const writes = crashWrites(this.#round, writer, count);
      revisions.forEach((revision, index) => {
        if (revision === undefined) return;
        const change = byRevision.get(revision);
        assert.ok(change, `the acknowledged revision ${revision} is lost`);
        assert.deepEqual(change.key, writes[index]?.key);
        assert.equal(change.value, writes[index]?.value);
      });
    }
  }

  /**
   * Verifies that the store contains no changes that no writer sent. Each writer waits for acknowledgments, so at most
   * one transaction per writer may be stored but not acknowledged.
   */
  #assertNoPhantoms(changes: readonly Change[]): void {
    const sent = new Set<string>();
    for (let writer = 0; writer < crashWriters; writer++) {
      const done = this.#acknowledged.filter((each) => each.writer === writer).length;
      for (let count = 0; count <= done; count++) {
        for (const { key, value } of crashWrites(this.#round, writer, count)) sent.add(JSON.stringify([key, value]));
      }
    }
    for (const { key, value } of changes) {
      assert.ok(sent.has(JSON.stringify([key, value])), `nobody sent ${JSON.stringify({ key, value })}`);
    }
  }

  #replay(changes: readonly Change[]): void {
    for (const { key, value, revision, previous } of changes) {
      const at = key.segments.join('/');
      assert.deepEqual(previous, this.#state.get(at), `revision ${revision} found something else at ${at}`);
      if (value === undefined) this.#state.delete(at);
      else this.#state.set(at, { value, revision });
    }
  }

  async #assertStateIs(store: Store): Promise<void> {
    const { entries } = await store.list(everything);
    const present = new Map(entries.map(({ key, value, revision }) => [key.segments.join('/'), { value, revision }]));
    const quiet = new Map([...present].filter(([at]) => at.startsWith('index/')));
    for (const at of quiet.keys()) present.delete(at);
    assert.deepEqual(
      new Map([...present].sort()),
      new Map([...this.#state].sort()),
      'the state differs from the history',
    );
    for (const [at, { value }] of quiet) {
      assert.equal(value, present.get(at.replace('index', 'second'))?.value, `${at} was not written with its object`);
      const first = present.get(at.replace('index', 'first'));
      assert.ok(first === undefined || first.value === value, `the objects of ${at} were not written together`);
    }
  }
}

/** Verifies that a watch from any revision since `since` reports all later changes, once and in order. */
async function assertResumable(store: Store, since: Revision, changes: readonly Change[]): Promise<void> {
  for (let from = since; from <= since + changes.length; from++) {
    const seen: Change[] = [];
    const stop = await store.observe(everything, from, { changes: (more) => seen.push(...more), ended() {} });
    stop();
    assert.deepEqual(seen, changes.slice(from - since), `a watch from ${from} is told something else`);
  }
}
