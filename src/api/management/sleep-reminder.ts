/** The longest time before an auto-sleep at which people are notified. */
const maxReminderMs = 3_600_000;

/**
 * Returns how long before an auto-sleep people are notified: at most an hour, and a quarter of a short period.
 * `milliseconds` is the period without use after which the instance sleeps.
 */
export function sleepReminderMs(milliseconds: number): number {
  return Math.min(maxReminderMs, milliseconds / 4);
}
