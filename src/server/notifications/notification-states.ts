import { parseTrustedJson, textsAt } from '@flotilla/json';
import type { NotificationStates } from '../../management/notifications/notification-states.ts';
import type { Key } from '../../store/key.ts';
import type { Store } from '../../store/store.ts';

/** The slice with one unlogged row per user who has read or dismissed a notification. */
export const notificationStatesSlice = 'notification-states';

/**
 * Opens the stored states. If two writes happen at the same moment, one may be lost. The notification of the lost write
 * is then unread again.
 */
export function openNotificationStates(store: Pick<Store, 'get' | 'transact'>): NotificationStates {
  return {
    async get(user) {
      const row = await store.get(keyOf(user));
      const value = row === undefined ? {} : parseTrustedJson(row.value);
      return { read: textsAt(value, 'read'), dismissed: textsAt(value, 'dismissed') };
    },
    async set(user, { read, dismissed }) {
      const isEmpty = read.length + dismissed.length === 0;
      const value = isEmpty ? undefined : JSON.stringify({ read, dismissed });
      await store.transact({ writes: [{ key: keyOf(user), value, unlogged: true }] });
    },
  };
}

function keyOf(user: string): Key {
  return { slice: notificationStatesSlice, segments: [user] };
}
