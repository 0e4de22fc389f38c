/** The maximum time between a notification and the auto-sleep, in milliseconds. */
const maxReminderMs = 3_600_000;

/**
 * Returns how long before an auto-sleep people are notified, in milliseconds: a quarter of the period, but at most an
 * hour. `milliseconds` is the period without use after which the instance sleeps.
 */
export function sleepReminderMs(milliseconds: number): number {
  return Math.min(maxReminderMs, milliseconds / 4);
}
