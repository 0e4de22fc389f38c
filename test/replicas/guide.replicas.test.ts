import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { kubectlMissing } from '../harness/kubectl.ts';
import { haproxyMissing } from '../harness/network/haproxy.ts';
import { toolFolders } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { shellBlocks } from '../harness/walk-guide.ts';

const root = new URL('../..', import.meta.url).pathname;

/** Ends all background programs of the script when it exits. */
const cleanUp = `trap 'kill -9 $(jobs -p) 2>/dev/null' EXIT`;

describeIfAvailable(noEtcd ?? kubectlMissing ?? haproxyMissing, 'the guide to high availability', () => {
  it('leads from one machine with etcd to three replicas, of which one is lost and returns, and all are upgraded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'guide-ha-'));
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync(join(root, 'bin/flotilla.js'), join(bin, 'flotilla'));
    const script = [cleanUp, ...shellBlocks('high-availability.md')].join('\n');
    const env = {
      ...process.env,
      PATH: [bin, ...toolFolders()].join(':'),
      HOME: folder,
      FLOTILLA_CONFIG: join(folder, 'flotilla.yaml'),
    };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    rmSync(folder, { recursive: true });
    const tables = stdout.split(/^(?=NAME +VERSION)/m).slice(1);
    expect(tables).toHaveLength(3);
    for (const table of tables) {
      expect(table.match(/https:\/\/127\.0\.0\.1:944[123] +(yes|no) /g)).toHaveLength(3);
      expect(table.match(/ yes /g)).toHaveLength(1);
    }
    expect(stdout).toMatch(/after-the-failure/);
  }, 180_000);
});
