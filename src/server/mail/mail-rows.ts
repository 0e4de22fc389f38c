import { parseTrustedJson } from '@flotilla/json';
import type { MailPreferences } from '../../management/notifications/mail-preferences.ts';
import type { Key } from '../../store/key.ts';
import { maxTransactionWrites, type RevisionCheck, type Store } from '../../store/store.ts';
import type { SentNotifications } from './sent-notifications.ts';

/**
 * The slice with up to two unlogged rows per user. One row exists if the user has switched mails off, the other
 * contains the sent notifications. The keys contain the UID of the user, so a later user with the same name starts
 * without a history.
 */
export const mailRowsSlice = 'notification-mails';

const offPrefix = 'off';
const sentPrefix = 'sent';
/** Number of rows that are read at a time. */
const pageSize = 500;

/**
 * Opens the stored mail preferences. A preference has its own row, separate from the sent notifications, because only
 * the user changes it.
 */
export function openMailPreferences(store: Pick<Store, 'get' | 'transact'>): MailPreferences {
  return {
    isOff: async (uid) => (await store.get(rowKey(offPrefix, uid))) !== undefined,
    async setOff(uid, isOff) {
      const value = isOff ? 'true' : undefined;
      await store.transact({ writes: [{ key: rowKey(offPrefix, uid), value, unlogged: true }] });
    },
  };
}

/** Reads the sent notifications of all users, by UID. */
export async function readSentNotifications(store: Pick<Store, 'list'>): Promise<Map<string, SentNotifications>> {
  const found = new Map<string, SentNotifications>();
  let after: Key | undefined;
  for (;;) {
    const options = { limit: pageSize, skipCount: true, ...(after === undefined ? {} : { after }) };
    const { entries, remaining } = await store.list({ slice: mailRowsSlice, prefix: [sentPrefix] }, options);
    for (const { key, value } of entries) {
      found.set(key.segments[1] ?? '', parseTrustedJson(value) as unknown as SentNotifications);
      after = key;
    }
    if (remaining === 0) return found;
  }
}

/** Writes the sent notifications of a user. Rejects with StoreError if the fence is no longer valid. */
export async function writeSentNotifications(
  store: Pick<Store, 'transact'>,
  uid: string,
  sent: SentNotifications,
  fence: RevisionCheck | undefined,
): Promise<void> {
  const value = JSON.stringify(sent);
  await store.transact({ ...checked(fence), writes: [{ key: rowKey(sentPrefix, uid), value, unlogged: true }] });
}

/** Removes the rows of users who no longer exist. */
export async function removeMailRows(
  store: Pick<Store, 'transact'>,
  uids: readonly string[],
  fence: RevisionCheck | undefined,
): Promise<void> {
  const perTransaction = Math.floor(maxTransactionWrites / 2);
  for (let start = 0; start < uids.length; start += perTransaction) {
    const writes = uids
      .slice(start, start + perTransaction)
      .flatMap((uid) => [offPrefix, sentPrefix].map((prefix) => rowKey(prefix, uid)))
      .map((key) => ({ key, value: undefined, unlogged: true }));
    await store.transact({ ...checked(fence), writes });
  }
}

/** Returns the UIDs of the users who have switched mails off. */
export async function readOffUids(store: Pick<Store, 'list'>): Promise<readonly string[]> {
  const { entries } = await store.list({ slice: mailRowsSlice, prefix: [offPrefix] });
  return entries.map(({ key }) => key.segments[1] ?? '');
}

function checked(fence: RevisionCheck | undefined) {
  return fence === undefined ? {} : { checks: [fence] };
}

function rowKey(prefix: string, uid: string): Key {
  return { slice: mailRowsSlice, segments: [prefix, uid] };
}
