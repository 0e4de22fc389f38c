import { type StatsFs, statfsSync } from 'node:fs';
import type { SimpleGauge } from '../../http/metrics/server-gauges.ts';
import { diskReserveBytes } from '../../store/embedded/write-buffer.ts';
import type { StoreSettings } from '../settings/store-settings.ts';

/**
 * The free space of the disk of the data directory and, if the store is on this disk, the space that the store
 * reserves. Writes are refused if the free space is less than the reserve.
 */
export function diskGauges(dataDir: string, store: StoreSettings): SimpleGauge[] {
  const free: SimpleGauge = {
    name: 'flotilla_data_disk_free_bytes',
    help: 'Free bytes on the disk of the data directory.',
    value: () => measured(dataDir, ({ bavail, bsize }) => bavail * bsize),
  };
  if (store !== 'embedded') return [free];
  const reserved: SimpleGauge = {
    name: 'flotilla_data_disk_reserved_bytes',
    help: 'Bytes on the disk of the data directory that the store reserves. With less free space, only deletes are accepted.',
    value: () => measured(dataDir, ({ blocks, bsize }) => diskReserveBytes(blocks * bsize)),
  };
  return [free, reserved];
}

/** Catches errors, because a scrape of the metrics must not fail if the disk fails. */
function measured(path: string, of: (disk: StatsFs) => number): number {
  try {
    return of(statfsSync(path));
  } catch {
    return Number.NaN;
  }
}
