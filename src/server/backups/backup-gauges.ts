import type { SimpleGauge } from '../../http/metrics/server-gauges.ts';
import type { BackupRecord } from './backup-record.ts';

/** The values that the metrics of scheduled backups show. */
export interface BackupFigures {
  readonly record: BackupRecord | undefined;
  /** The number of attempts of this process that failed. */
  readonly failures: number;
  /** The time by which the next backup is overdue, in seconds; 0 if the backup is not due yet. */
  readonly overdueSeconds: number;
}

/** All servers that share a store show the same values, except the number of failures. */
export function backupGauges(figures: () => BackupFigures): SimpleGauge[] {
  return [
    {
      name: 'flotilla_backup_last_success_timestamp_seconds',
      help: 'Start of the last scheduled backup that was written and verified, in seconds since the epoch; 0 if there is none.',
      value: () => Date.parse(figures().record?.lastSuccess?.time ?? '1970-01-01T00:00:00Z') / 1000,
    },
    {
      name: 'flotilla_backup_overdue_seconds',
      help: 'Seconds since a scheduled backup is due that was not made yet; 0 if none is due.',
      value: () => figures().overdueSeconds,
    },
    {
      name: 'flotilla_backup_failures_total',
      help: 'Number of attempts to make a scheduled backup that failed since the start of this server.',
      value: () => figures().failures,
    },
    {
      name: 'flotilla_backup_last_duration_seconds',
      help: 'Duration of the last scheduled backup, with its verification; 0 if there is none.',
      value: () => figures().record?.lastSuccess?.seconds ?? 0,
    },
    {
      name: 'flotilla_backup_last_size_bytes',
      help: 'Size of the last scheduled backup in bytes; 0 if there is none.',
      value: () => figures().record?.lastSuccess?.bytes ?? 0,
    },
  ];
}
