import type { UsageTotal } from '../../../src/api/management/v1/usage/usage.ts';

/** An amount of usage as the console shows it. */
export interface ShownAmount {
  readonly title: string;
  readonly explanation: string;
  amountOf(usage: UsageTotal): number | undefined;
  format(value: number): string;
}

const count = (value: number) => value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 2 : 0 });

function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let shown = value;
  let unit = 0;
  while (shown >= 1024 && unit < units.length - 1) {
    shown /= 1024;
    unit += 1;
  }
  return `${count(shown)} ${units[unit]}`;
}

/** The amounts in the order of the page. The page hides amounts that were not measured. */
export const shownAmounts: readonly ShownAmount[] = [
  { title: 'Requests', explanation: 'through the gateway', amountOf: (usage) => usage.requests, format: count },
  { title: 'Open watches', explanation: 'on average', amountOf: (usage) => usage.watches, format: count },
  { title: 'Ready', explanation: 'on average', amountOf: (usage) => usage.running, format: count },
  { title: 'Objects', explanation: 'on average', amountOf: (usage) => usage.objects, format: count },
  { title: 'Object size', explanation: 'in memory, on average', amountOf: (usage) => usage.bytes, format: bytes },
  {
    title: 'Worker time',
    explanation: 'of the built-in cluster',
    amountOf: (usage) => usage.workerSeconds,
    format: (value) => `${count(value)} s`,
  },
  {
    title: 'Pod CPU',
    explanation: 'on average',
    amountOf: (usage) => usage.cpuCores,
    format: (value) => `${count(value)} cores`,
  },
  { title: 'Pod memory', explanation: 'on average', amountOf: (usage) => usage.memoryBytes, format: bytes },
  {
    title: 'Pod storage',
    explanation: 'volume claims, on average',
    amountOf: (usage) => usage.storageBytes,
    format: bytes,
  },
];
