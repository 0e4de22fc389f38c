/** Maximum value of the auto-sleep annotations: 100 years, in seconds. A date 100 years from now is still valid. */
const maxSeconds = 100 * 365 * 24 * 3600;

/** Parses the value of an auto-sleep annotation, a positive number of seconds. `undefined` if it is invalid. */
export function parseSleepSeconds(text: string): number | undefined {
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  return seconds > 0 && seconds <= maxSeconds ? seconds : undefined;
}
