import type { ActivityLog } from '../../management/activity/activity-log.ts';
import type { Store } from '../../store/store.ts';
import type { ActivityRetention } from './activity-retention.ts';
import { activityKeyIn, activityKeys, activityRange, newActivityName, readActivityRow } from './activity-rows.ts';

/** Opens the activity records in the store. They are rows that are read when they are listed, so they use no memory. */
export function openActivityLog(store: Pick<Store, 'list'>, retention: Pick<ActivityRetention, 'added'>): ActivityLog {
  return {
    writesOf(namespace, stored) {
      const value = JSON.stringify(stored);
      retention.added(namespace);
      const keys = activityKeys(namespace, newActivityName(stored.time));
      return keys.map((key) => ({ key, value, unlogged: true }));
    },
    async read(namespace, { limit, after }) {
      const position = after === undefined ? {} : { after: activityKeyIn(namespace, after.namespace, after.name) };
      const found = await store.list(activityRange(namespace), { limit, skipCount: true, ...position });
      const rows = found.entries.map(({ key, value }) => readActivityRow(key, value));
      return { rows, hasMore: found.remaining > 0 };
    },
  };
}
