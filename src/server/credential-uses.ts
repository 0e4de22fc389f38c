import { listAt, parseTrustedJson } from '@flotilla/json';
import { type CredentialUse, credentialKey, mergedUse, mergeUses } from '../api/management/credential-use.ts';
import { createLastActivityRecorder } from '../auth/last-activity-recorder.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { withStatusErrors } from '../registry/store-status.ts';
import type { Key } from '../store/key.ts';
import type { Store } from '../store/store.ts';

export interface CredentialUsesOptions {
  readonly store: Pick<Store, 'get' | 'transact'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The last use of service account credentials at the gateway, by the uid of the instance. */
export interface CredentialUses {
  /** Records a use in memory. Called for each request. */
  record(uid: string, use: CredentialUse): void;
  /** Returns the uses that this replica has observed and the uses that other replicas have stored. */
  usesOf(uid: string): Promise<readonly CredentialUse[]>;
  /** Removes the record of a deleted instance. */
  forget(uid: string): void;
  /** Writes the uses that are not stored yet. */
  close(): Promise<void>;
}

/** The slice with the uses of the credentials of each instance. Its rows are unlogged. */
export const credentialUsesSlice = 'credential-uses';
/**
 * The maximum number of credentials per instance. With it, a row stays below 200 kB. The least recently used
 * credentials are removed.
 */
const maxUses = 200;

/**
 * Records the uses of credentials in one row per instance. A row is written within a second after the first use, and
 * later at most once per minute. If two replicas write a row at the same moment, one use may be lost. It is recorded
 * again when the credential is next used.
 */
export function openCredentialUses({ store, clock, log }: CredentialUsesOptions): CredentialUses {
  /** The uses that are not stored yet, by instance and credential. */
  const pending = new Map<string, Map<string, CredentialUse>>();

  async function read(uid: string): Promise<readonly CredentialUse[]> {
    const row = await store.get(rowKey(uid));
    return row === undefined ? [] : (listAt(parseTrustedJson(row.value), 'uses') as unknown as CredentialUse[]);
  }

  async function write(uid: string): Promise<void> {
    const uses = pending.get(uid);
    if (uses === undefined) return;
    const written = [...uses];
    const merged = mergeUses(
      await read(uid),
      written.map(([, use]) => use),
    );
    const value = JSON.stringify({ uses: mostRecent(merged) });
    await store.transact({ writes: [{ key: rowKey(uid), value, unlogged: true }] });
    for (const [key, use] of written) if (uses.get(key) === use) uses.delete(key);
    if (uses.size === 0) pending.delete(uid);
  }

  const recorder = createLastActivityRecorder({ clock, log, logField: 'instance', write });
  return {
    record(uid, use) {
      const uses = pending.get(uid) ?? new Map<string, CredentialUse>();
      pending.set(uid, uses);
      const key = credentialKey(use);
      const known = uses.get(key);
      // Skips a credential beyond the limit. It can be recorded after the next write.
      if (known === undefined && uses.size >= maxUses) return;
      uses.set(key, known === undefined ? use : mergedUse(known, use));
      recorder.recordUse(uid);
    },
    usesOf: async (uid) => mergeUses(await withStatusErrors(read(uid)), [...(pending.get(uid)?.values() ?? [])]),
    forget(uid) {
      pending.delete(uid);
      // Every replica tries to delete the row. A remaining row has no effect, because no uid is used twice.
      void store.transact({ writes: [{ key: rowKey(uid), value: undefined, unlogged: true }] }).catch(() => {});
    },
    close: () => recorder.close(),
  };
}

function mostRecent(uses: readonly CredentialUse[]): CredentialUse[] {
  return [...uses].sort((one, other) => other.lastUsed - one.lastUsed).slice(0, maxUses);
}

function rowKey(uid: string): Key {
  return { slice: credentialUsesSlice, segments: [uid] };
}
