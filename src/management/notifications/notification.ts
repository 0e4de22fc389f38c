import type { NotificationItem } from '../../api/management/v1/notifications/notification-review.ts';
import type { AccessAttributes } from '../../registry/context.ts';

/** Something that a caller should know, computed from the current state. */
export interface Notification {
  readonly id: string;
  /**
   * The part of the ID that stays the same if only a number in the notification changes, such as the used part of a
   * quota.
   */
  readonly topic: string;
  readonly reason: 'Failed' | 'SleepsSoon' | 'DeletedSoon' | 'KeyExpires' | 'KeyExpired' | 'QuotaNearlyReached';
  readonly isWarning: boolean;
  readonly message: string;
  /** The time since which the notification applies, in milliseconds since the epoch; `undefined` if it is unknown. */
  readonly since: number | undefined;
  readonly involvedObject: NotificationItem['involvedObject'];
  /** The permission to read the object. A credential with a scope may not have it. */
  readonly readPermission: AccessAttributes;
}
