/** A time in RFC 3339 format, in UTC and whole seconds: `2026-08-20T10:00:00Z`. */
export type Timestamp = string;

/** Cache of the latest result. Each request formats several timestamps, nearly all of them of the same second. */
let latest = { second: Number.NaN, text: '' };

export function timestamp(milliseconds: number): Timestamp {
  const second = Math.floor(milliseconds / 1000);
  if (second !== latest.second) {
    latest = { second, text: `${new Date(second * 1000).toISOString().slice(0, 19)}Z` };
  }
  return latest.text;
}
