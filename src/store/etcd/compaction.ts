import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { ChangeAge } from '../change-age.ts';
import { Compactor } from '../embedded/compactor.ts';
import type { HistoryRetention } from '../store.ts';
import type { EtcdClient } from './client/etcd-client.ts';
import { EtcdError, toStoreError } from './client/etcd-error.ts';
import { compactMethod, txnMethod } from './client/methods.ts';
import type { KeySpace } from './key-space.ts';
import type { Commit } from './watch/commit-assembler.ts';

interface CompactionOptions {
  readonly client: EtcdClient;
  readonly keys: KeySpace;
  readonly clock: Clock;
  readonly log: Log;
  readonly retention: HistoryRetention;
}

/** The precision in milliseconds with which the age of commits is known. */
const precision = 1000;

/**
 * The time of a compaction is proportional to the number of all keys in etcd. History is therefore kept up to this
 * factor longer than required.
 */
const maxExcess = 1.2;

/**
 * Compacts etcd: removes history that is older than `HistoryRetention` requires. The replicas use a row to agree on
 * which of them compacts, so etcd is not compacted more often if there are more replicas.
 */
export class HistoryCompaction {
  readonly #options: CompactionOptions;
  readonly #age: ChangeAge;
  readonly #compactor: Compactor;
  /** The last commit of each second, from old to new. */
  #commits: { readonly time: number; etcdRevision: number }[] = [];
  /** The etcd revision up to which etcd was compacted, and the etcd revision of the row that records it. */
  #compacted = { upTo: 0, row: 0 };
  #compactedAt: number;

  constructor(options: CompactionOptions) {
    this.#options = options;
    this.#age = new ChangeAge(options.clock);
    this.#compactedAt = options.clock.elapsed();
    const { clock, log } = options;
    this.#compactor = new Compactor({ clock, log, candidates: () => [''], step: () => this.#step().catch(rethrow) });
  }

  /** Must be called for each commit that the watch delivers. */
  noteCommit({ etcdRevision, compaction, logged }: Commit): void {
    if (compaction !== undefined) {
      this.#compacted = { upTo: compaction, row: etcdRevision };
      this.#compactedAt = this.#options.clock.elapsed();
    }
    // Commits without logged writes are ignored, so an idle store is not compacted.
    if (logged.length === 0) return;
    const time = this.#age.stamp();
    const last = this.#commits.at(-1);
    if (last !== undefined && time - last.time < precision) last.etcdRevision = etcdRevision;
    else this.#commits.push({ time, etcdRevision });
  }

  async stop(): Promise<void> {
    await this.#compactor.stop();
  }

  async #step(): Promise<boolean> {
    const { client, keys, clock, retention } = this.#options;
    if (clock.elapsed() - this.#compactedAt < retention.ageMilliseconds * (maxExcess - 1)) return false;
    const isOld = ({ time }: { readonly time: number }) =>
      this.#age.isOlder(time + precision, retention.ageMilliseconds);
    const target = this.#commits.findLast(isOld)?.etcdRevision;
    this.#commits = this.#commits.filter((commit) => !isOld(commit) || commit.etcdRevision === target);
    if (target === undefined || target <= this.#compacted.upTo) return false;
    const key = keys.compaction;
    const { succeeded, ranges, revision } = await client.call(txnMethod, {
      compare: [{ key, modRevision: this.#compacted.row }],
      success: [{ put: { key, value: `${target}` } }],
      failure: [{ range: { key } }],
    });
    this.#compactedAt = clock.elapsed();
    const row = ranges[0]?.kvs[0];
    if (!succeeded && row !== undefined) {
      this.#compacted = { upTo: Number(row.value), row: row.modRevision };
      return false;
    }
    this.#compacted = { upTo: target, row: revision };
    try {
      await client.call(compactMethod, { revision: target });
    } catch (error) {
      if (!(error instanceof EtcdError) || !error.isCompacted) throw error;
    }
    return false;
  }
}

function rethrow(error: unknown): never {
  throw toStoreError(error);
}
