import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { EtcdCluster, noEtcd } from '../../src/store/etcd/etcd.fixture.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { prepareGuideFolder, runBlocks, shellBlocks } from '../harness/walk-guide.ts';
import { makeAuthority } from '../kubernetes/harness/authority.ts';

/** Logs in to the server that the guide has started, and shows its status. */
const check = `
flotilla login https://127.0.0.1:8443 --ca-file .flotilla/ca.crt --access-key-stdin < .flotilla/admin.key
flotilla status
`;

describeIfAvailable(noEtcd, 'a server with the flags of the guides', () => {
  let folder: string;
  let etcd: EtcdCluster | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'etcd-guides-'));
    prepareGuideFolder(folder);
    const authority = await makeAuthority('etcd');
    const file = (name: string, text: string) => {
      writeFileSync(join(folder, name), text, { mode: 0o600 });
      return join(folder, name);
    };
    const [serving, client] = [await authority.serving(['127.0.0.1']), await authority.client({ name: 'flotilla' })];
    const flags = [
      `--cert-file=${file('server.crt', serving.cert)}`,
      `--key-file=${file('server.key', serving.key)}`,
      `--trusted-ca-file=${file('etcd-ca.crt', authority.cert)}`,
      '--client-cert-auth',
    ];
    file('client.crt', client.cert);
    file('client.key', client.key);
    const clientCertificate = { cert: Buffer.from(client.cert), key: Buffer.from(client.key) };
    etcd = await EtcdCluster.start(3, flags, { ca: Buffer.from(authority.cert), clientCertificate });
  });
  afterAll(async () => {
    await etcd?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['to etcd', shellBlocks('operate.md', 'Store objects in etcd')],
    ['to the search of several audit logs', shellBlocks('audit.md', 'Search the logs of several replicas')],
  ])('%s serves requests and shares its store', async (_guide, blocks) => {
    const [port, peerPort] = await freePorts(2);
    const host = `127.0.0.1:${port}`;
    const replace = {
      'https://etcd-1:2379,https://etcd-2:2379,https://etcd-3:2379': etcd?.endpoints ?? '',
      '0.0.0.0:443': host,
      ...(blocks.join().includes('10.0.0.5:8445') ? { '10.0.0.5:8445': `127.0.0.1:${peerPort}` } : {}),
    };
    const flotilla = { url: `https://${host}` };
    const printed = await runBlocks([...blocks, check], { folder, flotilla, replace, isLoggedOut: true });
    expect(printed).toMatch(/\(this server\) .* yes +64 /);
  });
});
