import type { Usage, UsageSample, UsageTotal } from '../management/v1/usage/usage.ts';

/** The columns of exported usage: the title of each column, and the field of a sample that the column contains. */
const columns: readonly (readonly [title: string, member: keyof UsageTotal])[] = [
  ['seconds', 'seconds'],
  ['requests', 'requests'],
  ['watches', 'watches'],
  ['instances', 'instances'],
  ['running', 'running'],
  ['objects', 'objects'],
  ['object_bytes', 'bytes'],
  ['worker_seconds', 'workerSeconds'],
  ['cpu_cores', 'cpuCores'],
  ['memory_bytes', 'memoryBytes'],
  ['storage_bytes', 'storageBytes'],
  ['cost', 'cost'],
];

/** Returns the samples of usage as CSV (RFC 4180), one row per sample. Amounts that were not measured are empty. */
export function usageCsv({ samples, currency }: Pick<Usage, 'samples' | 'currency'>): string {
  const header = ['start', ...columns.map(([title]) => title), 'currency'];
  const rows = (samples ?? []).map((sample: UsageSample) => [
    sample.start,
    ...columns.map(([, member]) => sample[member] ?? ''),
    currency ?? '',
  ]);
  return [header, ...rows].map((row) => `${row.map((cell) => csvCell(String(cell))).join(',')}\r\n`).join('');
}

/**
 * Returns a cell of a CSV file. Spreadsheet programs execute cells that begin with certain characters, such as `=`, as
 * formulas. The function puts an apostrophe before the text of such a cell.
 */
export function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}
