import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import type { BackupSettings } from '../settings/backup-settings.ts';
import { BackupNames } from './backup-name.ts';
import { DirectoryDestination } from './directory-destination.ts';
import { ScheduledBackups } from './scheduled-backups.ts';

const hour = 3_600_000;
const day = 24 * hour;
const patience = { timeout: 20_000 };
const signal = new AbortController().signal;

let root: string;
let directory: string;
let clock: ManualClock;
let store: Store;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'backups-'));
  directory = join(root, 'backups');
  clock = new ManualClock(Date.parse('2026-11-18T12:00:00Z'));
  store = await openMemoryStore();
  await store.transact({ writes: [{ key: { slice: 's', segments: ['x'] }, value: 'text' }] });
});
afterEach(async () => {
  await stop();
  await store.close();
  await rm(root, { recursive: true });
});

async function stop(): Promise<void> {
  for (const each of stops.splice(0)) await each();
}

function start(settings: Partial<BackupSettings> = {}): ScheduledBackups {
  const names = new BackupNames(store.identity);
  const backups = new ScheduledBackups({
    settings: {
      schedule: '0 3 * * *',
      timeZone: 'UTC',
      destination: { directory },
      keep: { last: 2, days: 0 },
      passphraseFile: undefined,
      ...settings,
    },
    destination: new DirectoryDestination({ directory, names, storeDirectory: undefined }),
    names,
    store,
    sealKeys: async () => undefined,
    clock,
    log: silentLog,
  });
  stops.push(backups.start(undefined, () => {}));
  return backups;
}

/** Resolves when the schedule waits for this time. */
async function dueAt(backups: ScheduledBackups, time: string): Promise<void> {
  await expect.poll(async () => (await backups.status(signal)).dueAt, patience).toBe(time);
}

async function times(backups: ScheduledBackups): Promise<string[]> {
  return (await backups.status(signal)).items.map(({ time }) => time);
}

/**
 * Advances the time repeatedly until backups exist for the expected times. One large step is not sufficient, because a
 * manual clock fires only timers that are already set.
 */
async function advanceUntil(backups: ScheduledBackups, by: number, expected: readonly string[]): Promise<void> {
  clock.advance(by);
  await expect
    .poll(async () => {
      clock.advance(1_000);
      return await times(backups);
    }, patience)
    .toEqual(expected.map((text) => expect.stringContaining(text)));
}

function gauge(backups: ScheduledBackups, name: string): number | undefined {
  return backups
    .gauges()
    .find((each) => each.name === name)
    ?.value();
}

describe('scheduled backups', () => {
  it('are made at their times, are complete, and have names that sort by time', async () => {
    const backups = start();
    await dueAt(backups, '2026-11-19T03:00:00.000Z');
    expect(await times(backups)).toEqual([]);
    expect(gauge(backups, 'flotilla_backup_last_success_timestamp_seconds')).toBe(0);
    await advanceUntil(backups, 15 * hour, ['2026-11-19T03:00:']);
    await dueAt(backups, '2026-11-20T03:00:00.000Z');
    const [name = ''] = await readdir(directory);
    expect(name).toMatch(/^flotilla-[0-9a-z]+-20261119T0300\d\dZ\.flotilla$/);
    const text = await readFile(join(directory, name), 'utf8');
    expect(text).toContain('"value":"text"');
    const { lastSuccess, lastFailure } = await backups.status(signal);
    expect(lastSuccess).toMatchObject({ name, bytes: text.length, rows: text.split('\n').length - 3 });
    expect(lastFailure).toBeUndefined();
    expect(gauge(backups, 'flotilla_backup_last_success_timestamp_seconds')).toBe(
      Date.parse(lastSuccess?.time ?? '') / 1000,
    );
    expect(gauge(backups, 'flotilla_backup_last_size_bytes')).toBe(text.length);
    expect(gauge(backups, 'flotilla_backup_overdue_seconds')).toBe(0);
  });

  it('make up once for times that passed while no server ran', async () => {
    await dueAt(start(), '2026-11-19T03:00:00.000Z');
    await stop();
    clock.advance(5 * day);
    const backups = start();
    await expect.poll(() => times(backups), patience).toEqual(['2026-11-23T12:00:00Z']);
    await dueAt(backups, '2026-11-24T03:00:00.000Z');
  });

  it('are removed if enough newer ones exist and they are old enough; other files stay', async () => {
    await mkdir(directory);
    await writeFile(join(directory, 'notes.txt'), '');
    await writeFile(join(directory, 'flotilla-000000000000-20200101T000000Z.flotilla'), 'of another installation');
    const backups = start({ keep: { last: 1, days: 2 } });
    await dueAt(backups, '2026-11-19T03:00:00.000Z');
    // The third newest backup is a little older than two days.
    const days = ['11-19', '11-20', '11-21', '11-22', '11-23'].map((text) => `2026-${text}T`);
    for (const [index, last] of days.entries()) {
      const expected = days.slice(Math.max(0, index - 1), index + 1).reverse();
      await advanceUntil(backups, index === 0 ? 15 * hour : day, expected);
      await dueAt(backups, `2026-11-${Number(last.slice(8, 10)) + 1}T03:00:00.000Z`);
    }
    expect((await readdir(directory)).filter((name) => !name.includes('202611'))).toEqual([
      'flotilla-000000000000-20200101T000000Z.flotilla',
      'notes.txt',
    ]);
  });

  it('that fail are counted and tried again, and the failure is forgotten after a success', async () => {
    await writeFile(directory, 'a file instead of a directory');
    const backups = start();
    await expect.poll(async () => (await backups.status(signal)).problem, patience).toBe('it is a file');
    clock.advance(15 * hour);
    await expect.poll(async () => (await backups.status(signal)).lastFailure?.message, patience).toBe('it is a file');
    expect(gauge(backups, 'flotilla_backup_failures_total')).toBe(1);
    clock.advance(10_000);
    expect(gauge(backups, 'flotilla_backup_overdue_seconds')).toBeGreaterThanOrEqual(10);
    await rm(directory);
    await advanceUntil(backups, 60_000, ['2026-11-19T03:0']);
    await expect.poll(async () => (await backups.status(signal)).lastFailure, patience).toBeUndefined();
    expect(gauge(backups, 'flotilla_backup_failures_total')).toBe(1);
    expect(gauge(backups, 'flotilla_backup_overdue_seconds')).toBe(0);
  });

  it('leave no file if the store cannot be read to its end', async () => {
    const { dump } = store;
    store.dump = async function* () {
      yield* dump.call(store);
      throw new Error('the store is damaged');
    };
    const backups = start();
    await dueAt(backups, '2026-11-19T03:00:00.000Z');
    clock.advance(15 * hour);
    await expect
      .poll(async () => (await backups.status(signal)).lastFailure?.message, patience)
      .toBe('the store is damaged');
    expect(await readdir(directory)).toEqual([]);
  });

  it('remove the incomplete file of a server that was killed', async () => {
    await mkdir(directory);
    const name = `${new BackupNames(store.identity).at(clock.now() - day)}.incomplete`;
    await writeFile(join(directory, name), 'partial');
    await chmod(join(directory, name), 0o400);
    const backups = start();
    await dueAt(backups, '2026-11-19T03:00:00.000Z');
    await advanceUntil(backups, 15 * hour, ['2026-11-19T03:00:']);
    expect(await readdir(directory)).toHaveLength(1);
  });

  it('never remove the newest backup, even after the clock was set back', async () => {
    const backups = start({ keep: { last: 1, days: 0 } });
    await dueAt(backups, '2026-11-19T03:00:00.000Z');
    await advanceUntil(backups, 15 * hour, ['2026-11-19T03:00:']);
    await dueAt(backups, '2026-11-20T03:00:00.000Z');
    await stop();
    clock.setWall(-5 * day);
    const again = start({ keep: { last: 1, days: 0 } });
    await dueAt(again, '2026-11-15T03:00:00.000Z');
    await advanceUntil(again, day, ['2026-11-19T03:00:', '2026-11-15T03:00:']);
  });
});
