import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeExceptOnEtcd, itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { managementGroup } from '../../api/naming.ts';
import { systemClock } from '../../lib/clock.ts';
import { type Log, silentLog } from '../../lib/log.ts';
import { runBackup } from '../data/backup.ts';
import { runRestore } from '../data/restore.ts';
import { mergePatch, ServerTestEnv } from '../server.fixture.ts';
import { requestAdminKey } from './admin-key-request.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

const usesFiles = 'the backup is restored to a data directory';
const teams = `/kubernetes/management/apis/${managementGroup}/v1/teams`;
const accessKeys = `/kubernetes/management/apis/${managementGroup}/v1/accesskeys`;

/** The keys in the backup of `restoreOlderBackup`, as the log lists them. */
const namesOfKeys = [
  expect.stringMatching(/^\S+ \(admin, created \d{4}-\S+Z, last used \d{4}-\S+Z\)$/),
  expect.stringMatching(/^revoked \(admin, created \d{4}-\S+Z, never used\)$/),
];

/** A log that keeps the warnings that the server writes about a restore at its start. */
function logOfRestores() {
  const restores: Record<string, unknown>[] = [];
  const warn: Log['warn'] = (members, message) => {
    if (message.startsWith('this installation was restored from a backup of ')) restores.push(members);
  };
  return { log: { ...silentLog, warn }, restores };
}

/** Makes a backup, changes the installation, and restores the backup to another data directory. */
async function restoreOlderBackup(trustsKeys: boolean) {
  const server = await bench.start();
  const adminKey = await bench.adminKey();
  const revoked = await bench.createKey(server, 'revoked', { user: 'admin' });
  await bench.createObject(server, 'users', 'anna', { username: 'anna', password: 'correct horse' });
  const login = await bench.send(server, '/auth/password/login', {
    method: 'POST',
    body: { username: 'anna', password: 'correct horse' },
  });
  // The server writes the time of the last use in the background.
  await expect.poll(async () => (await bench.send(server, accessKeys)).text).toContain('"lastActivity":');
  const backup = join(bench.root, 'all.backup');
  await runBackup(backup, bench.dataDir);
  expect((await bench.send(server, `${accessKeys}/revoked`, { method: 'DELETE' })).code).toBe(200);
  await bench.createObject(server, 'teams', 'ghost');
  const list = await bench.send(server, teams);
  const watched = textAt(list.json, 'metadata', 'resourceVersion');
  await bench.stop(server);
  const sealKeyFile = bench.file('seal.key');
  bench.dataDir = join(bench.root, 'restored');
  const message = await runRestore(backup, bench.dataDir, { sealKeyFile, trustsKeys });
  return { adminKey, revoked, login: textAt(login.json, 'accessKey'), watched, message };
}

describeExceptOnEtcd('a restore of an older backup', () => {
  itExceptOnEtcd(
    'disables keys until an administrator enables them, and ends watches with 410',
    usesFiles,
    async () => {
      const { adminKey, revoked, watched, message } = await restoreOlderBackup(false);
      expect(message).toContain('It disables all access keys');
      expect(await requestAdminKey(bench.dataDir)).toContain(bench.file('admin.key'));
      // Uses the default. Nobody can log in with a password here, so the new key must suffice.
      bench.freshLoginSeconds = 15 * 60;
      const { log, restores } = logOfRestores();
      const server = await bench.start({ store: 'embedded' }, systemClock, log);
      expect(restores).toEqual([{ logins: 1, disabledKeys: 2, names: namesOfKeys }]);
      for (const token of [adminKey, revoked]) expect((await bench.send(server, teams, { token })).code).toBe(401);
      const newKey = await bench.adminKey();
      expect(newKey).not.toBe(adminKey);
      expect(await readFile(bench.file('admin.kubeconfig'), 'utf8')).toContain(newKey);
      const audited = (await readFile(bench.file('audit.log'), 'utf8'))
        .split('\n')
        .find((line) => line.includes('admin-key'));
      expect(audited).toContain('"verb":"create"');
      expect(audited).not.toContain(newKey);

      const { json } = await bench.send(server, `${accessKeys}/revoked`);
      expect(textAt(json, 'metadata', 'annotations', 'platform.sh/disabled-reason')).toMatch(
        /^restored from a backup of \d{4}-.*; enable the key if it was not revoked after the backup$/,
      );
      const enabled = await bench.send(server, `${accessKeys}/revoked`, mergePatch({ spec: { disabled: false } }));
      expect(enabled.code, enabled.text).toBe(200);
      const watch = await bench.send(server, `${teams}?watch=1&timeoutSeconds=1&resourceVersion=${watched}`);
      expect(watch.text).toContain('"code":410');

      await bench.stop(server);
      const again = await bench.start({ store: 'embedded' });
      expect(await bench.adminKey()).toBe(newKey);
      expect((await bench.send(again, teams)).code).toBe(200);
    },
  );

  itExceptOnEtcd('with trusted keys, ends only logins and tokens, and lists the keys', usesFiles, async () => {
    const { adminKey, revoked, login } = await restoreOlderBackup(true);
    const { log, restores } = logOfRestores();
    const server = await bench.start({ store: 'embedded' }, systemClock, log);
    expect(restores).toEqual([{ logins: 1, disabledKeys: 0, names: namesOfKeys }]);
    for (const token of [adminKey, revoked]) expect((await bench.send(server, teams, { token })).code).toBe(200);
    expect(login).not.toBe('');
    expect((await bench.send(server, teams, { token: login })).code).toBe(401);
  });
});

describeExceptOnEtcd('a backup that includes the keys', () => {
  async function passphraseFile(text: string): Promise<string> {
    const path = join(bench.root, `passphrase-${text.length}`);
    await writeFile(path, `${text}\n`, { mode: 0o600 });
    return path;
  }

  itExceptOnEtcd('is restored with the same CA and keys, from a running server too', usesFiles, async () => {
    const server = await bench.start();
    const authority = await bench.read('ca.crt');
    const key = await bench.adminKey();
    const passphrase = await passphraseFile('correct horse battery');
    const backup = join(bench.root, 'all.backup');
    await runBackup(backup, bench.dataDir, { passphraseFile: passphrase });
    expect(await readFile(backup, 'utf8')).not.toContain((await bench.read('seal.key')).trim());
    await bench.stop(server);

    bench.dataDir = join(bench.root, 'restored');
    await expect(runRestore(backup, bench.dataDir)).rejects.toThrow('set --passphrase-file');
    const wrong = await passphraseFile('wrong horse battery staple');
    await expect(runRestore(backup, bench.dataDir, { passphraseFile: wrong })).rejects.toThrow('wrong passphrase');
    const short = await passphraseFile('short');
    await expect(runRestore(backup, bench.dataDir, { passphraseFile: short })).rejects.toThrow('is too short');
    const message = await runRestore(backup, bench.dataDir, { passphraseFile: passphrase, trustsKeys: true });
    expect(message).not.toContain('missing');
    expect(await bench.read('ca.crt')).toBe(authority);
    const again = await bench.start({ store: 'embedded' });
    expect((await bench.send(again, teams, { token: key })).code).toBe(200);
  });

  itExceptOnEtcd('is not needed, but a restore then names each missing file and what follows', usesFiles, async () => {
    await bench.stop(await bench.start());
    const backup = join(bench.root, 'all.backup');
    await runBackup(backup, bench.dataDir);
    const sealKeyFile = bench.file('seal.key');
    const target = join(bench.root, 'restored');
    const passphrase = await passphraseFile('correct horse battery');
    await expect(runRestore(backup, target, { passphraseFile: passphrase })).rejects.toThrow('does not include keys');
    const message = await runRestore(backup, target, { sealKeyFile });
    expect(message).toContain('missing: ca.crt and ca.key: the server creates a new CA');
    expect(message).not.toContain('missing: seal.key');
  });
});

describe('a request for a new access key of the administrator', () => {
  it('is refused for a directory that no server has used', async () => {
    await expect(requestAdminKey(join(bench.root, 'none'))).rejects.toThrow('is not the data directory of a server');
  });
});
