import type { Notification } from '../../management/notifications/notification.ts';

/** The notifications that were sent to a user. */
export interface SentNotifications {
  /** The times at which notifications were sent, in milliseconds since the epoch, by topic. */
  readonly topics: Readonly<Record<string, number>>;
  /**
   * A time in milliseconds since the epoch. Notifications that have applied since this time or longer count as sent.
   * Present only if there are too many topics for the row.
   */
  readonly before?: number;
  /** The time of the last mail. */
  readonly lastMail?: number;
}

export const nothingSent: SentNotifications = { topics: {} };

/** The number of topics in a row. */
const maxTopics = 1_000;
/**
 * The minimum time between two mails about a topic, in milliseconds. It also applies if the topic did not apply in
 * between, because a quota, for example, may be reached again and again.
 */
const repeatMs = 24 * 3_600_000;

export function isSent({ topic, since }: Notification, { topics, before }: SentNotifications): boolean {
  return Object.hasOwn(topics, topic) || (since !== undefined && before !== undefined && since <= before);
}

export interface SentMail {
  /** All notifications that apply to the user now. */
  readonly current: readonly Notification[];
  /** The notifications that are recorded as sent with this mail. */
  readonly sent: readonly Notification[];
  readonly now: number;
  /** True if a mail was sent; false if the user has read the notifications elsewhere or wants no mails. */
  readonly isMail: boolean;
}

/**
 * Adds sent notifications to the record of a user. The result contains the topics that apply now or were sent within a
 * day. If there are more than 1,000 topics, the single time `before` replaces the topics that have applied the longest.
 */
export function withSent(old: SentNotifications, { current, sent, now, isMail }: SentMail): SentNotifications {
  const since = new Map(current.map((notification) => [notification.topic, notification.since ?? now]));
  const times = new Map(Object.entries(old.topics));
  for (const { topic } of sent) times.set(topic, now);
  const kept = [...times].filter(([topic, time]) => since.has(topic) || now - time < repeatMs);
  const age = ([topic, time]: readonly [string, number]) => since.get(topic) ?? time;
  kept.sort((one, other) => age(other) - age(one));
  const dropped = kept.slice(maxTopics).map(([topic]) => since.get(topic) ?? 0);
  const before = Math.max(old.before ?? 0, ...dropped);
  const lastMail = isMail ? now : old.lastMail;
  return {
    topics: Object.fromEntries(kept.slice(0, maxTopics)),
    ...(before === 0 ? {} : { before }),
    ...(lastMail === undefined ? {} : { lastMail }),
  };
}
