import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { EtcdCluster, noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type ServingProcess, startServing } from '../harness/flotilla-process.ts';
import { describeIfAvailable } from '../harness/suite.ts';
import { shellBlocks } from '../harness/walk-guide.ts';

describeIfAvailable(noEtcd, 'the guide to etcd', () => {
  let folder: string;
  let home: CliHome;
  let etcd: EtcdCluster;
  const servers: ServingProcess[] = [];

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'etcd-guide-'));
    home = cliHome();
    etcd = await EtcdCluster.start();
  });
  afterEach(async () => {
    await stopServers();
    await etcd.stop();
    home.remove();
    rmSync(folder, { recursive: true });
  });

  async function stopServers(): Promise<void> {
    const codes = await Promise.all(servers.splice(0).map((server) => server.stop()));
    expect(codes.every((code) => code === 0)).toBe(true);
  }

  async function shell(script: string): Promise<string> {
    const env = { ...process.env, ...home.env };
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env });
    return stdout;
  }

  /** Starts a server on a free port with the flags in a line of the guide. */
  async function start(line: string): Promise<ServingProcess> {
    const flags = line.split(' ').slice(2);
    const at = flags.indexOf('--data-dir') + 1;
    flags[at] = join(folder, flags[at] ?? '');
    const listen = flags.indexOf('--listen');
    if (listen >= 0) flags.splice(listen, 2);
    const server = await startServing(['start', ...flags, '--listen', '127.0.0.1:0']);
    servers.push(server);
    return server;
  }

  /** Runs the lines of shell blocks in order, as a reader would type them, with the address of the test's etcd. */
  async function walk(blocks: readonly string[]): Promise<string> {
    const lines = blocks.flatMap((block) => block.trim().split('\n'));
    let printed = '';
    for (const written of lines) {
      const line = written.replaceAll('http://127.0.0.1:2379', etcd.endpoints);
      if (line.startsWith('flotilla start ')) await start(line);
      else printed += await shell(line);
    }
    return printed;
  }

  async function login(url: string, dataDirectory: string, key: string): Promise<void> {
    const ca = join(folder, dataDirectory, 'ca.crt');
    await home.ok(['login', url, '--ca-file', ca, '--access-key-stdin'], { input: key });
  }

  it('moves an installation to etcd, adds a server, and moves back, line by line', async () => {
    const first = await start('flotilla start --data-dir .flotilla');
    const key = readFileSync(join(folder, '.flotilla', 'admin.key'), 'utf8').trim();
    await login(first.url, '.flotilla', key);
    await home.ok(['create', 'demo', '--wait']);
    const before = await home.ok(['get', 'demo', '-o', 'jsonpath={.metadata.uid}']);
    const uid = () => home.ok(['get', 'demo', '-o', 'jsonpath={.metadata.uid}']);
    await stopServers();

    const moved = await walk(shellBlocks('move-to-etcd.md', 'Copy the data to etcd'));
    expect(moved).toMatch(/copied \d+ rows in \d+ slices .* and compared them/);
    expect(moved).toContain('--store http://');
    await walk(shellBlocks('move-to-etcd.md', 'Start the server with etcd'));
    await login(servers.at(-1)?.url ?? '', '.flotilla', key);
    expect(await uid()).toBe(before);

    expect(await walk(shellBlocks('move-to-etcd.md', 'Add a server'))).toContain('Older keys are revoked');
    await login(servers.at(-1)?.url ?? '', 'second', key);
    expect(await uid()).toBe(before);
    for (const name of ['ca.crt', 'ca.key']) {
      expect(readFileSync(join(folder, 'second', name))).toEqual(readFileSync(join(folder, '.flotilla', name)));
    }

    expect(await walk(shellBlocks('move-to-etcd.md', 'Back up and restore'))).toMatch(
      /restored \d+ entries to http:.*\(prefix restored\)/,
    );
    await stopServers();
    await start(`flotilla start --data-dir second --store ${etcd.endpoints} --etcd-prefix flotilla`);
    await stopServers();
    expect(await walk(shellBlocks('move-to-etcd.md', 'Move back to one server'))).toMatch(
      /copied \d+ rows in \d+ slices/,
    );
    await login(servers.at(-1)?.url ?? '', 'single', key);
    expect(await uid()).toBe(before);
    expect(readFileSync(join(folder, 'single', 'signing.key'))).toEqual(
      readFileSync(join(folder, 'second', 'signing.key')),
    );
  });

  it('is refused for a data directory that a server uses, and for a prefix with a store', async () => {
    await start('flotilla start --data-dir .flotilla');
    const migrate = ['migrate', '--from', 'embedded', '--data-dir', join(folder, '.flotilla'), '--to', etcd.endpoints];
    const inUse = await home.run(migrate);
    expect([inUse.code, inUse.stderr]).toEqual([1, expect.stringMatching(/^[^\n]*is in use by another process\n$/)]);
    await stopServers();
    await start(`flotilla start --data-dir other --store ${etcd.endpoints}`);
    await stopServers();
    const full = await home.run(migrate);
    expect([full.code, full.stderr]).toEqual([1, expect.stringMatching(/^[^\n]*already contains the store [^\n]*\n$/)]);
  });
});
