import type { User } from '../../api/management/v1/user.ts';
import { managementVersion } from '../../api/naming.ts';
import type { UserInfo } from '../../api/user-info.ts';
import { callerOf } from '../../auth/authz/caller.ts';
import { decide } from '../../auth/authz/decide.ts';
import { WorkBudget } from '../../lib/work-budget.ts';
import { accessKeyIdentity } from '../../management/identity.ts';
import { FleetNotifications } from '../../management/notifications/fleet-notifications.ts';
import { mailAddressOf } from '../../management/notifications/mail-address-of.ts';
import type { Notification } from '../../management/notifications/notification.ts';
import type { ManagementState } from '../../management/state.ts';
import { isSent, nothingSent, type SentNotifications } from './sent-notifications.ts';

/** A user who may receive mails. */
export interface Recipient {
  readonly name: string;
  readonly uid: string;
  readonly address: string;
  readonly identity: UserInfo;
}

/** A mail that a user should receive now. */
export interface DueMail {
  readonly user: string;
  readonly uid: string;
  /** The notifications that were not sent yet. */
  readonly unsent: readonly Notification[];
  /** All current notifications of the user that mails may report. */
  readonly current: readonly Notification[];
  readonly isUrgent: boolean;
}

const minute = 60_000;
/**
 * The time for which a failure, and any other notification, waits before it is mailed, so that one mail contains
 * several notifications. A failure that ends within its waiting time is not mailed.
 */
const [failureWait, notificationWait] = [2 * minute, 15 * minute] as const;
/** The shortest time between two mails to a user. */
const [failureInterval, notificationInterval] = [5 * minute, 15 * minute] as const;
/** The number of objects and users that are inspected per tick of the event loop. */
const itemsPerTick = 500;
/** The number of notifications per user that are compared. */
const maxCompared = 10_000;

/** Finds the mails that are due. The only state that it keeps is the time at which each notification was first seen. */
export class DueMails {
  readonly #state: ManagementState;
  readonly #trustedDomains: readonly string[];
  /** The times at which topics were first seen. A topic is removed when it was sent to everybody whom it concerns. */
  #firstSeen = new Map<string, number>();

  constructor(state: ManagementState, trustedDomains: readonly string[]) {
    this.#state = state;
    this.#trustedDomains = trustedDomains;
  }

  /** Inspects all objects once. Returns mails with failures first. */
  async find(sent: ReadonlyMap<string, SentNotifications>, now: number): Promise<DueMail[]> {
    const work = new WorkBudget(itemsPerTick);
    const fleet = await FleetNotifications.collect(this.#state, now, work);
    const firstSeen = new Map<string, number>();
    const since = (topic: string) => {
      const time = this.#firstSeen.get(topic) ?? now;
      firstSeen.set(topic, time);
      return time;
    };
    const due: DueMail[] = [];
    for (const { metadata } of this.#state.users()) {
      if (work.spend(1)) await work.next();
      const recipient = this.recipient(metadata.name ?? '');
      if (recipient === undefined) continue;
      const { uid } = recipient;
      const row = sent.get(uid) ?? nothingSent;
      const current = new Map<string, Notification>();
      for (const notification of fleet.of(callerOf(recipient.identity))) {
        if (work.spend(0.1)) await work.next();
        // Notifications with this reason are not mailed, because an instance may go to sleep several times a day.
        if (notification.reason === 'SleepsSoon') continue;
        current.set(notification.topic, notification);
        if (current.size === maxCompared) break;
      }
      const notifications = [...current.values()];
      const unsent = notifications.filter((notification) => !isSent(notification, row)).sort(byUrgency);
      if (!isDue(unsent, since, { now, lastMail: row.lastMail })) continue;
      due.push({ user: recipient.name, uid, unsent, current: notifications, isUrgent: unsent[0]?.reason === 'Failed' });
    }
    this.#firstSeen = firstSeen;
    return due.sort((one, other) => Number(other.isUrgent) - Number(one.isUrgent));
  }

  /** Returns the user as a recipient of mails; `undefined` if the user has no access or no address that can be trusted. */
  recipient(name: string): Recipient | undefined {
    const user: User | undefined = this.#state.user(name);
    const address = user && mailAddressOf(user, this.#trustedDomains);
    const uid = user?.metadata.uid;
    if (address === undefined || uid === undefined) return undefined;
    const identity = accessKeyIdentity({ spec: { user: name } }, this.#state);
    return identity && { name, uid, address, identity };
  }

  /** True if the user may read the object now. */
  mayRead(
    { identity }: Recipient,
    { readPermission: { verb, group, resource, namespace = '', name = '' } }: Notification,
  ) {
    const attributes = {
      resourceRequest: true,
      version: managementVersion,
      subresource: '',
      verb,
      group,
      resource,
    } as const;
    const subject = { user: identity, system: false, scopes: [] };
    return decide(subject, { ...attributes, namespace, name }, this.#state).allowed;
  }
}

interface MailTimes {
  readonly now: number;
  readonly lastMail: number | undefined;
}

/**
 * True if one of the notifications has waited long enough, and enough time has passed since the last mail. Visits all
 * notifications in any case, because each visit records when a notification was first seen.
 */
function isDue(
  unsent: readonly Notification[],
  since: (topic: string) => number,
  { now, lastMail }: MailTimes,
): boolean {
  // If the last mail is in the future, the clock was set back since. Its time is then ignored.
  const passed = lastMail === undefined || lastMail > now ? Number.POSITIVE_INFINITY : now - lastMail;
  const dueNotifications = unsent.filter(({ topic, reason }) => {
    const waited = now - since(topic);
    return reason === 'Failed'
      ? waited >= failureWait && passed >= failureInterval
      : waited >= notificationWait && passed >= notificationInterval;
  });
  return dueNotifications.length > 0;
}

/** Sorts failures first, and otherwise newer notifications first. */
function byUrgency(one: Notification, other: Notification): number {
  const [failed, otherFailed] = [one.reason === 'Failed', other.reason === 'Failed'];
  if (failed !== otherFailed) return failed ? -1 : 1;
  return (other.since ?? 0) - (one.since ?? 0) || (one.topic < other.topic ? -1 : 1);
}
