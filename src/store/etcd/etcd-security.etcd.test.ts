import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import { type Authority, makeAuthority } from '../../../test/kubernetes/harness/authority.ts';
import type { Store } from '../store.ts';
import { ChangeRecorder } from '../suite/recorder.ts';
import { putValue, storeErrorOf, storeKey, storeRange } from '../suite/suite-store.ts';
import type { EtcdCredentials } from './client/endpoints.ts';
import { asBuffer, type EtcdMethod } from './client/methods.ts';
import { writeText } from './client/wire.ts';
import { EtcdCluster, noEtcd, testTimeouts } from './etcd.fixture.ts';
import { openEtcdStore } from './etcd-store.ts';

let authority: Authority;
const folder = mkdtempSync(join(tmpdir(), 'flotilla-etcd-tls-'));
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  authority = await makeAuthority('etcd');
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function fileOf(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

function open(cluster: EtcdCluster, credentials: EtcdCredentials): Promise<Store> {
  return openEtcdStore({ endpoints: cluster.endpoints, prefix: 'secure', timeouts: testTimeouts, credentials });
}

async function certificateOf(name: string): Promise<{ cert: Buffer; key: Buffer }> {
  const { cert, key } = await authority.client({ name });
  return { cert: Buffer.from(cert), key: Buffer.from(key) };
}

describeIfAvailable(noEtcd, 'an etcd cluster with TLS and client certificates', () => {
  it('accepts a store with a certificate of its CA, and no other', async () => {
    const serving = await authority.serving(['127.0.0.1']);
    const flags = [
      `--cert-file=${fileOf('server.crt', serving.cert)}`,
      `--key-file=${fileOf('server.key', serving.key)}`,
      `--trusted-ca-file=${fileOf('ca.crt', authority.cert)}`,
      '--client-cert-auth',
    ];
    const ca = Buffer.from(authority.cert);
    const credentials = { ca, clientCertificate: await certificateOf('store') };
    const cluster = await EtcdCluster.start(1, flags, credentials);
    cleanups.push(() => cluster.stop());
    const store = await open(cluster, credentials);
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    await putValue(store, storeKey('s', 'x'), '1');
    expect(recorder.summary).toEqual(['x=1']);
    await store.close();

    const other = await makeAuthority('other');
    const wrongCa = { ...credentials, ca: Buffer.from(other.cert) };
    for (const [wrong, reason] of [
      [{ ca }, /alert|ECONNRESET|closed|socket/i],
      [wrongCa, /no TLS connection: .*(self-signed|verify|issuer).*; check that etcd serves TLS/],
    ] as const) {
      const error = await storeErrorOf(open(cluster, wrong));
      expect(error).toMatchObject({ code: 'CannotOpen' });
      expect(error.message).toMatch(/^cannot open the store at https:/);
      expect(error.message).toMatch(reason);
    }
  });
});

/** A method of etcd's Auth service whose request consists of texts. */
function authMethod(name: string): EtcdMethod<readonly string[], Record<string, never>> {
  const encode = (texts: readonly string[]) => {
    const writer = new BinaryWriter();
    for (const [index, text] of texts.entries()) writeText(writer, index + 1, text);
    return asBuffer(writer.finish());
  };
  return { path: `/etcdserverpb.Auth/${name}`, encode, decode: () => ({}) };
}

describeIfAvailable(noEtcd, 'an etcd cluster with users', () => {
  it('accepts a store with a password, also after it has forgotten its tokens', async () => {
    const cluster = await EtcdCluster.start();
    cleanups.push(() => cluster.stop());
    const client = cluster.client();
    await client.call(authMethod('UserAdd'), ['root', 'secret']);
    await client.call(authMethod('RoleAdd'), ['root']);
    await client.call(authMethod('UserGrantRole'), ['root', 'root']);
    await client.call(authMethod('AuthEnable'), []);
    client.close();

    const store = await open(cluster, { user: { name: 'root', password: 'secret' } });
    cleanups.push(() => store.close());
    const recorder = new ChangeRecorder();
    await store.observe(storeRange('s'), 1, recorder);
    await putValue(store, storeKey('s', 'x'), '1');
    // The restart makes the tokens invalid, because etcd keeps them in memory.
    await cluster.member(0).kill();
    cluster.member(0).start();
    await putValue(store, storeKey('s', 'x'), '2');
    expect(recorder.summary).toEqual(['x=1', 'x=2']);

    for (const user of [undefined, { name: 'root', password: 'wrong' }]) {
      const error = await storeErrorOf(open(cluster, user === undefined ? {} : { user }));
      expect(error).toMatchObject({ code: 'CannotOpen' });
      expect(error.message).toMatch(/user name is empty|authentication failed/);
      expect(error.message).not.toContain('wrong');
    }
  });
});
