import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { runBackup } from '../../server/data/backup.ts';
import { runRestore } from '../../server/data/restore.ts';
import { AgentTestEnv } from '../agent.fixture.ts';

let at: AgentTestEnv;
beforeEach(async () => {
  at = await AgentTestEnv.open();
});
afterEach(() => at.close());

const usesFiles = 'the backup is restored to a data directory';
const namespaces = '/kubernetes/cluster/api/v1/namespaces';

describe('an agent whose server is restored from an older backup', () => {
  itExceptOnEtcd(
    'discards users that were created after the backup, and accepts no token from before the restore',
    usesFiles,
    async () => {
      await at.start();
      const { serverEnv } = at;
      const adminKey = await serverEnv.adminKey();
      const early = await at.createUser('early');
      const passphraseFile = join(serverEnv.root, 'passphrase');
      await writeFile(passphraseFile, 'correct horse battery\n', { mode: 0o600 });
      const backup = join(serverEnv.root, 'all.backup');
      await runBackup(backup, serverEnv.dataDir, { passphraseFile });
      const late = await at.createUser('late');
      const former = await at.directToken(adminKey);
      // The agent responds with 403 to users that it knows, because only admins may use the cluster itself, and with
      // 401 to all others.
      await at.waitForCode(namespaces, early, 403);
      await at.waitForCode(namespaces, late, 403);
      await at.waitForCode(namespaces, former, 200);

      await at.stopServer();
      await at.waitForCode(namespaces, late, 503);
      expect(await at.code(namespaces, former)).toBe(200);
      serverEnv.dataDir = join(serverEnv.root, 'restored');
      await runRestore(backup, serverEnv.dataDir, { passphraseFile, trustsKeys: true });
      await writeFile(serverEnv.file('admin.key'), `${adminKey}\n`, { mode: 0o600 });
      await at.restartServer();

      await at.waitForCode(namespaces, late, 401);
      await at.waitForCode(namespaces, former, 401);
      await at.waitForCode(namespaces, early, 403);
      await at.waitForCode(namespaces, await at.directToken(adminKey), 200);
    },
  );
});
