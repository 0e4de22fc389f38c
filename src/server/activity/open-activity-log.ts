import { parseTrustedJson } from '@flotilla/json';
import type { ActivityReaders } from '../../auth/authz/activity-readers.ts';
import type { ActivityLog, StoredActivity } from '../../management/activity/activity-log.ts';
import type { Store, Write } from '../../store/store.ts';
import type { ActivityRetention } from './activity-retention.ts';
import {
  activityKeyIn,
  activityRange,
  activityRowKeys,
  lastReadersKey,
  newActivityName,
  readActivityRow,
} from './activity-rows.ts';

export interface ActivityLogOptions {
  readonly store: Pick<Store, 'get' | 'list'>;
  readonly retention: Pick<ActivityRetention, 'added'>;
  /**
   * Returns the writes that queue a record for webhooks. They are part of the transaction that stores the record.
   * Optional; defaults to none.
   */
  queueFor?(namespace: string, name: string, stored: StoredActivity): readonly Write[];
}

/**
 * Opens the log of activity records. The records are rows of the store that are read only when they are listed, so they
 * use no memory.
 */
export function openActivityLog({ store, retention, queueFor }: ActivityLogOptions): ActivityLog {
  return {
    writesOf(namespace, stored) {
      const value = JSON.stringify(stored);
      const name = newActivityName(stored.time);
      retention.added(namespace);
      const keys = activityRowKeys({ namespace, name, stored });
      return [...keys.map((key) => ({ key, value, unlogged: true })), ...(queueFor?.(namespace, name, stored) ?? [])];
    },
    async lastReaders(namespace, uid) {
      const row = await store.get(lastReadersKey(namespace, uid));
      return row && ((parseTrustedJson(row.value) as { readers?: ActivityReaders }).readers ?? {});
    },
    async read(namespace, { limit, after }) {
      const position = after === undefined ? {} : { after: activityKeyIn(namespace, after.namespace, after.name) };
      const found = await store.list(activityRange(namespace), { limit, skipCount: true, ...position });
      const rows = found.entries.map(({ key, value }) => readActivityRow(key, value));
      return { rows, hasMore: found.remaining > 0 };
    },
  };
}
