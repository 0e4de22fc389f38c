import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { backupsPath } from '../../api/backups/backup-status.ts';
import { ManualClock } from '../../lib/clock.ts';
import { runRestore } from '../data/restore.ts';
import { ServerTestEnv } from '../server.fixture.ts';
import type { FlagValues } from '../settings/flags.ts';
import type { RunningServer } from '../start-server.ts';

const hour = 3_600_000;

let bench: ServerTestEnv;
let clock: ManualClock;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  // Starts at the real time, because the client's TLS checks certificates against the clock of the machine.
  clock = new ManualClock(Date.now());
});
afterEach(() => bench.close());

function status(server: RunningServer) {
  return bench.send(server, backupsPath).then(({ json }) => json);
}

async function scheduled(): Promise<FlagValues> {
  await writeFile(join(bench.root, 'passphrase'), 'a long passphrase\n');
  return await bench.settings({
    backup: {
      schedule: '@hourly',
      directory: join(bench.root, 'backups'),
      passphraseFile: join(bench.root, 'passphrase'),
    },
  });
}

describe('a server with scheduled backups', () => {
  itExceptOnEtcd(
    'makes them, shows their state to administrators, and a restore needs only the file and the passphrase',
    'a clock that jumps pauses the background work of a replica',
    async () => {
      const server = await bench.start(await scheduled(), clock);
      await bench.createObject(server, 'users', 'anna');
      const objects = await bench.objects(server);
      await expect
        .poll(
          async () => {
            clock.advance(hour / 6);
            return listAt(await status(server), 'items').length;
          },
          { timeout: 20_000 },
        )
        .toBe(1);
      await expect.poll(async () => textAt(await status(server), 'lastSuccess', 'name')).not.toBe('');
      const state = await status(server);
      expect(state).toMatchObject({ schedule: '@hourly', timeZone: 'UTC', destination: join(bench.root, 'backups') });
      const [name = ''] = await readdir(join(bench.root, 'backups'));
      expect(textAt(state, 'lastSuccess', 'name')).toBe(name);
      const metrics = (await bench.send(server, '/metrics')).text;
      const seconds = Date.parse(textAt(state, 'lastSuccess', 'time')) / 1000;
      expect(metrics).toContain(`flotilla_backup_last_success_timestamp_seconds ${seconds}\n`);
      expect(metrics).toContain('flotilla_backup_failures_total 0\n');
      await bench.stop(server);

      bench.dataDir = join(bench.root, 'restored');
      await runRestore(join(bench.root, 'backups', name), bench.dataDir, {
        passphraseFile: join(bench.root, 'passphrase'),
        trustsKeys: true,
      });
      await copyFile(join(bench.root, 'data', 'admin.key'), bench.file('admin.key'));
      expect(await bench.objects(await bench.start({ store: 'embedded' }))).toEqual(objects);
    },
  );

  it('does not start with a passphrase that is too short', async () => {
    const flags = await scheduled();
    await writeFile(join(bench.root, 'passphrase'), 'short\n');
    await expect(bench.start(flags)).rejects.toThrow('is too short');
  });
});

describe('a server without scheduled backups', () => {
  it('says so, and has no metrics of backups', async () => {
    const server = await bench.start();
    expect(await status(server)).toMatchObject({ kind: 'BackupStatus', items: [] });
    expect((await bench.send(server, '/metrics')).text).not.toContain('flotilla_backup_');
  });
});
