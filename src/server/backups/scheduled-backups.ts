import {
  type BackupStatus,
  backupStatusKind,
  backupsApiVersion,
  type CompletedBackup,
} from '../../api/backups/backup-status.ts';
import { nextCronTime } from '../../controlplane/kubernetes/rules/workloads/next-cron-time.ts';
import type { SimpleGauge } from '../../http/metrics/server-gauges.ts';
import { backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import { describeError } from '../../process/private-dir.ts';
import { PeriodicTask } from '../../replicas/periodic-task.ts';
import { TenureEndedError } from '../../replicas/tenure.ts';
import { backupLines, withSealedKeys } from '../../store/backup.ts';
import type { RevisionCheck, Store } from '../../store/store.ts';
import type { BackupSettings } from '../settings/backup-settings.ts';
import { chunksOf } from './backup-content.ts';
import type { BackupDestination } from './backup-destination.ts';
import { backupGauges } from './backup-gauges.ts';
import type { BackupNames } from './backup-name.ts';
import { type BackupRecord, readBackupRecord, writeBackupRecord } from './backup-record.ts';
import { removableBackups } from './removable-backups.ts';

export interface ScheduledBackupsOptions {
  readonly settings: BackupSettings;
  readonly destination: BackupDestination;
  readonly names: BackupNames;
  readonly store: Store;
  /** Returns the seal keys in encrypted form for the next backup; `undefined` if backups do not include seal keys. */
  sealKeys(): Promise<string | undefined>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The tenure in which this server makes backups (`runOnLeader`). */
interface Leadership {
  readonly fence: RevisionCheck | undefined;
  readonly assertCurrent: () => void;
  readonly signal: AbortSignal;
}

/** The pauses between attempts while backups fail. */
const retryBackoff = { initialMilliseconds: 60_000, maxMilliseconds: 30 * 60_000 };
/** The interval at which each server reads the leader's record. */
const refreshMs = 30_000;

/** Makes scheduled backups on the leader, and shows their state on every server. */
export class ScheduledBackups {
  readonly #options: ScheduledBackupsOptions;
  #record: BackupRecord | undefined;
  #failures = 0;
  #isRunning = false;

  constructor(options: ScheduledBackupsOptions) {
    this.#options = options;
  }

  /**
   * Starts to make backups. The returned function stops this and aborts a backup in progress. If scheduled times passed
   * while no server ran, one backup is made for all of them.
   */
  start(fence: RevisionCheck | undefined, assertCurrent: () => void): () => Promise<void> {
    const stopping = new AbortController();
    const ended = this.#run({ fence, assertCurrent, signal: stopping.signal });
    return async () => {
      stopping.abort();
      await ended;
    };
  }

  /**
   * Reads the state regularly, for the metrics of a server that is not the leader. Returns a function that stops this.
   */
  follow(): () => Promise<void> {
    const { clock, store, log } = this.#options;
    const task = new PeriodicTask({
      clock,
      run: async () => {
        try {
          this.#record = await readBackupRecord(store);
        } catch (error) {
          log.debug({ error }, 'cannot read the state of scheduled backups');
        }
        return refreshMs;
      },
    });
    task.runNow();
    return () => task.stop();
  }

  gauges(): SimpleGauge[] {
    return backupGauges(() => ({
      record: this.#record,
      failures: this.#failures,
      overdueSeconds: Math.max(0, (this.#options.clock.now() - this.#dueAt(this.#record)) / 1000),
    }));
  }

  /** Returns the state and the list of backups at the destination. */
  async status(signal: AbortSignal): Promise<BackupStatus> {
    const { settings, destination, store } = this.#options;
    const record = await readBackupRecord(store);
    const { lastSuccess, lastFailure } = record ?? {};
    const listed = await destination.list(signal).then(
      (items) => ({ items: items.reverse() }),
      (error: unknown) => ({ items: [], problem: describeError(error) }),
    );
    const dueAt = this.#dueAt(record);
    return {
      kind: backupStatusKind,
      apiVersion: backupsApiVersion,
      schedule: settings.schedule,
      timeZone: settings.timeZone,
      destination: destination.description,
      isRunning: this.#isRunning,
      ...(Number.isFinite(dueAt) ? { dueAt: new Date(dueAt).toISOString() } : {}),
      ...(lastSuccess === undefined ? {} : { lastSuccess }),
      ...(lastFailure === undefined ? {} : { lastFailure }),
      ...listed,
    };
  }

  async #run(leadership: Leadership): Promise<void> {
    const { clock } = this.#options;
    const { signal } = leadership;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#makeNext(leadership);
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        const delay = backoffDelay(++failures, retryBackoff);
        if (!(error instanceof TenureEndedError)) await this.#reportFailure(error, delay, leadership);
        await wait(clock, delay, signal);
      }
    }
  }

  /** Waits until a backup is due, and makes it. */
  async #makeNext(leadership: Leadership): Promise<void> {
    const { clock, destination } = this.#options;
    const { signal } = leadership;
    const record = await this.#loadRecord(leadership.fence);
    await waitUntil(clock, this.#dueAt(record), signal);
    if (signal.aborted) return;
    leadership.assertCurrent();
    this.#isRunning = true;
    try {
      await destination.removeIncomplete(signal);
      const lastSuccess = await this.#make(signal);
      await this.#writeRecord({ since: record.since, lastSuccess }, leadership.fence);
      leadership.assertCurrent();
      await this.#removeOld(lastSuccess.name, signal);
    } finally {
      this.#isRunning = false;
    }
  }

  async #make(signal: AbortSignal): Promise<CompletedBackup> {
    const { clock, destination, names, store, log } = this.#options;
    const [startedAt, elapsed] = [clock.now(), clock.elapsed()];
    const name = names.at(startedAt);
    const sealedKeys = await this.#options.sealKeys();
    const lines = backupLines(store);
    const chunks = chunksOf(sealedKeys === undefined ? lines : withSealedKeys(lines, sealedKeys), signal);
    const { rows, bytes } = await destination.write({ name, chunks, signal });
    const seconds = Math.round(clock.elapsed() - elapsed) / 1000;
    log.info({ destination: destination.description, name, rows, bytes, seconds }, 'wrote a backup');
    return { name, time: names.timeOf(name) ?? '', bytes, seconds, rows };
  }

  /** Removes backups that need not be kept. A failure does not affect the new backup. */
  async #removeOld(newest: string, signal: AbortSignal): Promise<void> {
    const { clock, destination, settings, log } = this.#options;
    try {
      const rules = { keep: settings.keep, now: clock.now(), newest };
      for (const { name } of removableBackups(await destination.list(signal), rules)) {
        await destination.remove(name, signal);
        log.info({ destination: destination.description, name }, 'removed an old backup');
      }
    } catch (error) {
      if (signal.aborted) return;
      const fields = { destination: destination.description, error: describeError(error) };
      log.warn(fields, 'cannot remove old backups; the next backup tries again');
    }
  }

  /** Returns the time of the next backup in milliseconds since the epoch. */
  #dueAt(record: BackupRecord | undefined): number {
    const { settings, clock } = this.#options;
    const last = record?.lastSuccess?.time ?? record?.since;
    // If `last` is in the future, the clock was set back since. The current time is then used.
    const after = last === undefined ? clock.now() : Math.min(Date.parse(last), clock.now());
    return nextCronTime(settings.schedule, after, settings.timeZone) ?? Number.POSITIVE_INFINITY;
  }

  /** Reads the state. If there is none, records the current time as the start of scheduled backups. */
  async #loadRecord(fence: RevisionCheck | undefined): Promise<BackupRecord> {
    const { store, clock } = this.#options;
    const record = await readBackupRecord(store);
    if (record === undefined) return await this.#writeRecord({ since: new Date(clock.now()).toISOString() }, fence);
    this.#record = record;
    return record;
  }

  async #writeRecord(record: BackupRecord, fence: RevisionCheck | undefined): Promise<BackupRecord> {
    await writeBackupRecord(this.#options.store, record, fence);
    this.#record = record;
    return record;
  }

  async #reportFailure(error: unknown, delayMs: number, { fence, signal }: Leadership): Promise<void> {
    const { destination, clock, log } = this.#options;
    const message = describeError(error);
    this.#failures++;
    const retryInSeconds = Math.round(delayMs / 1000);
    log.warn({ destination: destination.description, error: message, retryInSeconds }, 'a scheduled backup failed');
    const time = new Date(clock.now()).toISOString();
    try {
      const record = await this.#loadRecord(fence);
      if (!signal.aborted) await this.#writeRecord({ ...record, lastFailure: { time, message } }, fence);
    } catch (notRecorded) {
      log.debug({ error: notRecorded }, 'cannot record that a scheduled backup failed');
    }
  }
}

/** Resolves at `time`, or earlier if the signal is aborted. */
function waitUntil(clock: Clock, time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted || clock.now() >= time) {
      resolve();
      return;
    }
    const finish = () => {
      cancel();
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.at(time, finish);
    signal.addEventListener('abort', finish, { once: true });
  });
}
