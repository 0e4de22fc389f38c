/** Far beyond every use, and far below where dates end. */
const longestSeconds = 100 * 365 * 24 * 3600;

/** What an annotation says that gives a time in seconds; undefined: nothing that can be understood. */
export function sleepSeconds(text: string): number | undefined {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= longestSeconds ? seconds : undefined;
}
