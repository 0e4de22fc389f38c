import { isJsonObject, numberAt, textAt } from '@flotilla/json';
import type { AuditCheckpoint, ReplicaCheckpoint } from '../../api/audit/audit-chain.ts';
import type { Key } from '../../store/key.ts';
import type { Entry, Store } from '../../store/store.ts';

/** The time after which the log of a replica that has stored no new checkpoint is no longer expected to exist. */
const maxAgeMilliseconds = 90 * 24 * 60 * 60_000;

const range = { slice: 'audit', prefix: ['checkpoints'] };

/**
 * The newest checkpoint of each replica's audit log. The checkpoint is not stored in the log itself, so a person who
 * removes the end of a log does not remove its checkpoint.
 */
export class StoredCheckpoints {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  async get(replica: string): Promise<AuditCheckpoint | undefined> {
    const entry = await this.#store.get(keyOf(replica));
    return entry === undefined ? undefined : checkpointIn(entry);
  }

  async list(): Promise<readonly ReplicaCheckpoint[]> {
    const { entries } = await this.#store.list(range);
    return entries.flatMap((entry) => {
      const checkpoint = checkpointIn(entry);
      return checkpoint === undefined ? [] : [{ replica: entry.key.segments[1] ?? '', ...checkpoint }];
    });
  }

  async put(replica: string, checkpoint: AuditCheckpoint): Promise<void> {
    await this.#store.transact({ writes: [{ key: keyOf(replica), value: JSON.stringify(checkpoint) }] });
  }

  /** Removes the checkpoints of replicas that have not existed for a long time. */
  async removeOld(now: number): Promise<void> {
    const old = (await this.list()).filter(({ time }) => !(now - Date.parse(time) < maxAgeMilliseconds));
    for (const { replica } of old) {
      await this.#store.transact({ writes: [{ key: keyOf(replica), value: undefined }] });
    }
  }
}

function keyOf(replica: string): Key {
  return { slice: range.slice, segments: [...range.prefix, replica] };
}

function checkpointIn({ value }: Entry): AuditCheckpoint | undefined {
  const parsed: unknown = JSON.parse(value);
  const seq = isJsonObject(parsed) ? numberAt(parsed, 'seq') : undefined;
  if (!isJsonObject(parsed) || seq === undefined) return undefined;
  const [hash, time] = [textAt(parsed, 'hash'), textAt(parsed, 'time')];
  return { seq, hash, time, key: textAt(parsed, 'key'), signature: textAt(parsed, 'signature') };
}
