import { usageError } from '../cli-error.ts';

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** Returns the number of seconds in a duration such as `90`, `90s`, `15m`, `12h`, `30d`, `2w` or `1h30m`. */
export function parseDuration(text: string, option: string): number {
  if (/^\d{1,12}$/.test(text)) return Number(text);
  const parts = [...text.matchAll(/(\d{1,9})([smhdw])/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text) {
    throw usageError(`--${option}: ${JSON.stringify(text)} is not a duration; use for example 45s, 15m, 12h or 30d`);
  }
  return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (seconds[unit] ?? 0), 0);
}

/** Formats an elapsed time for display, for example `340 ms`, `1.2 s` or `2m 5s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)}m ${Math.round((milliseconds % 60_000) / 1000)}s`;
}
