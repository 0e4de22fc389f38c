import { accessKeyExpiry, expiryReminder } from '../../api/management/access-key-expiry.ts';
import { type AccessKey, ownedAccessKeyKind } from '../../api/management/v1/access-key.ts';
import { isWorkloadKey } from '../../api/management/workload-key.ts';
import { formatDuration } from '../../api/table.ts';
import type { Notification } from './notification.ts';

/** The time in milliseconds for which a key is still reported after its expiry. */
const expiredFor = 7 * 24 * 3_600_000;

/**
 * Returns the notifications about an access key for its owner. There are none for logins and keys of workloads, because
 * these keys are replaced automatically.
 */
export function keyNotifications(key: AccessKey, now: number): Notification[] {
  const { type = '', disabled = false, ttlAfterLastActivity = false, displayName = '' } = key.spec ?? {};
  const end = accessKeyExpiry(key);
  // Every use of a key with `ttlAfterLastActivity` extends its lifetime, so such a key does not expire while it is
  // used.
  if (end === undefined || ttlAfterLastActivity || disabled || !['', 'User'].includes(type) || isWorkloadKey(key)) {
    return [];
  }
  const { name = '', uid = '', creationTimestamp = '' } = key.metadata;
  const label = displayName === '' ? name : displayName;
  const common = {
    isWarning: true,
    involvedObject: { kind: ownedAccessKeyKind.kind, name },
    readPermission: { verb: 'get', group: ownedAccessKeyKind.group, resource: ownedAccessKeyKind.plural, name },
  };
  const identified = <Reason extends Notification['reason']>(reason: Reason) => {
    const id = `${reason}/${uid}/${end}`;
    return { id, topic: id, reason };
  };
  if (end <= now) {
    if (now - end > expiredFor) return [];
    const message = `Access key "${label}" expired ${formatDuration(now - end)} ago`;
    return [{ ...common, ...identified('KeyExpired'), message, since: end }];
  }
  // A key with a short lifetime is reported only in the last quarter of its lifetime.
  const since = end - Math.min(expiryReminder, (end - Date.parse(creationTimestamp)) / 4);
  if (now < since) return [];
  const message = `Access key "${label}" expires in ${formatDuration(end - now)}`;
  return [{ ...common, ...identified('KeyExpires'), message, since }];
}
