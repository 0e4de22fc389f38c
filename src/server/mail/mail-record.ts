import { isJsonObject } from '@flotilla/json';
import type { FailedMail } from '../../api/mail/mail-status.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import { installationKey } from '../data/installation.ts';

const key = installationKey('mails');

/** Returns the last failure if no mail has been sent since; otherwise `undefined`. */
export async function readFailedMail(store: Pick<Store, 'get'>): Promise<FailedMail | undefined> {
  const entry = await store.get(key);
  const value: unknown = entry === undefined ? undefined : JSON.parse(entry.value);
  return isJsonObject(value) ? (value as unknown as FailedMail) : undefined;
}

/** Writes the last failure. Rejects with StoreError if the fence is no longer valid. */
export async function writeFailedMail(
  store: Pick<Store, 'transact'>,
  failure: FailedMail | undefined,
  fence: RevisionCheck | undefined,
): Promise<void> {
  const checks = fence === undefined ? {} : { checks: [fence] };
  await store.transact({ ...checks, writes: [{ key, value: failure && JSON.stringify(failure) }] });
}
