import type { LoggedChange } from '../../embedded/stage.ts';
import { charactersOf } from '../../history-collector.ts';
import type { Revision } from '../../store.ts';
import { assertHistoryRetained } from '../../store-error.ts';
import type { EtcdClient } from '../client/etcd-client.ts';
import { EtcdError, grpcStatus } from '../client/etcd-error.ts';
import type { WatchResponse } from '../client/watch-messages.ts';
import type { KeySpace } from '../key-space.ts';
import type { RevisionMap } from '../revision-map.ts';
import { CommitAssembler } from './commit-assembler.ts';
import { readWatch } from './read-watch.ts';

interface HistoryRequest {
  readonly slice: string;
  /** The revision after which changes are read. */
  readonly since: Revision;
  /** The etcd revision of the first commit of the slice. Older revisions need not be available. */
  readonly first: number;
  /** The etcd revision up to which changes are read. It must be the revision of a commit in the slice. */
  readonly to: number;
  /** The size after which no further commit is read. Optional; defaults to no limit. */
  readonly characters?: number | undefined;
}

interface HistoryResult {
  readonly logged: readonly LoggedChange[];
  /** The changes up to this revision have been read. */
  readonly upTo: Revision;
}

/**
 * Reads the changes of slices from the history of etcd. etcd returns history only through a watch that starts in the
 * past. Such a watch takes up to 100 ms, because etcd serves watches that are behind only once every 100 ms.
 */
export class HistoryReader {
  readonly #client: EtcdClient;
  readonly #keys: KeySpace;
  readonly #revisions: RevisionMap;

  constructor(client: EtcdClient, keys: KeySpace, revisions: RevisionMap) {
    this.#client = client;
    this.#keys = keys;
    this.#revisions = revisions;
  }

  /** Returns the changes in the order of revisions. Rejects with StoreError Expired, or with EtcdError. */
  read(request: HistoryRequest): Promise<HistoryResult> {
    const startRevision = Math.max(request.first, this.#revisions.etcdRevision(request.since));
    const watch = { ...this.#keys.slice(request.slice), startRevision, withPrevious: true };
    return readWatch(this.#client, watch, () => this.#reader(request));
  }

  /** Returns the oldest etcd revision that is available. Call it only after a call has failed because of compaction. */
  oldest(): Promise<number> {
    const request = { ...this.#keys.watched, startRevision: 1, withPrevious: false };
    return readWatch(this.#client, request, () => ({ canceled, compactRevision }) => {
      return canceled && compactRevision > 0 ? compactRevision : undefined;
    });
  }

  #reader({ slice, since, to, characters = Number.POSITIVE_INFINITY }: HistoryRequest) {
    const changes: LoggedChange[] = [];
    let size = 0;
    const assembler = new CommitAssembler(this.#keys, this.#revisions);
    const assertRetained = (etcdRevision: number) =>
      assertHistoryRetained(slice, since, this.#revisions.last(etcdRevision));
    return (response: WatchResponse): HistoryResult | undefined => {
      if (response.compactRevision > 0) assertRetained(response.compactRevision);
      if (response.canceled) throw new EtcdError(grpcStatus.unavailable, response.cancelReason);
      for (const commit of assembler.add(response)) {
        if (commit.incomplete > since) assertRetained(commit.etcdRevision);
        if (commit.etcdRevision <= to) {
          for (const logged of commit.logged) {
            if (logged.change.revision <= since) continue;
            changes.push(logged);
            size += charactersOf(logged.change);
          }
        }
        if (commit.etcdRevision >= to || size >= characters)
          return { logged: changes, upTo: this.#revisions.last(Math.min(commit.etcdRevision, to)) };
      }
      return undefined;
    };
  }
}
