const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const days = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const dates = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium' });

/** Returns a time in the browser's time zone: "18 Nov 2026, 21:03:04". All pages show times in this format. */
export function formatTime(time: string | number): string {
  return times.format(new Date(time));
}

/** Returns the date of a time in the browser's time zone: "18 Nov 2026". */
export function formatDate(time: string | number): string {
  return dates.format(new Date(time));
}

/** Formats a day in UTC, such as "2026-11-18", in the format of all other dates: "18 Nov 2026". */
export function formatDay(day: string): string {
  return days.format(new Date(day));
}
