import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { itExceptOnEtcd } from '../../../test/harness/etcd/it-except-on-etcd.ts';
import { groupPath, ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { rotateSigningKey } from './rotate-signing-key.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
});
afterEach(() => bench.close());

async function makeToken(server: RunningServer): Promise<string> {
  const path = `${groupPath}/directclusterendpointtokens`;
  const answer = await bench.send(server, path, { method: 'POST', body: {} });
  expect(answer.code, answer.text).toBe(201);
  return textAt(answer.json, 'status', 'token');
}

async function publicKeys(server: RunningServer): Promise<JSONWebKeySet> {
  const { body } = await bench.request(server, '/auth/jwks', { token: '' });
  return (await body.json()) as JSONWebKeySet;
}

const kidsOf = ({ keys }: JSONWebKeySet) => keys.map(({ kid }) => kid);
const isGood = async (server: RunningServer, token: string) =>
  jwtVerify(token, createLocalJWKSet(await publicKeys(server))).then(
    () => true,
    () => false,
  );

describe('flotilla rotate-signing-key', () => {
  it('makes the running server sign with a new key, and old tokens stay valid', async () => {
    const server = await bench.start();
    const [before] = kidsOf(await publicKeys(server));
    const old = await makeToken(server);
    const told = await rotateSigningKey({ dataDir: bench.dataDir });
    const [now, ...older] = kidsOf(await publicKeys(server));
    expect(now).not.toBe(before);
    expect(older).toEqual([before]);
    expect(told).toContain(`signed with key ${now}`);
    expect(await isGood(server, old)).toBe(true);
    expect(await isGood(server, await makeToken(server))).toBe(true);
    expect((await stat(bench.file('signing.key'))).mode & 0o777).toBe(0o600);
    const { d } = JSON.parse(await bench.read('signing.key')).keys[0];
    expect(told).not.toContain(d);
    expect(await bench.read('audit.log')).toMatch(/"verb":"post".*\/auth\/signing-keys/);
  });

  it('with --revoke revokes the old tokens at once', async () => {
    const server = await bench.start();
    const old = await makeToken(server);
    expect(await rotateSigningKey({ dataDir: bench.dataDir, revoke: true })).toContain('revoked');
    expect(await isGood(server, old)).toBe(false);
    expect(await isGood(server, await makeToken(server))).toBe(true);
    expect(kidsOf(await publicKeys(server))).toHaveLength(1);
  });

  const offline = 'without a server, only the signing key in a data directory can be rotated';
  itExceptOnEtcd('works without a running server, and the next server has both keys', offline, async () => {
    const first = await bench.start();
    const old = await makeToken(first);
    await bench.stop(first);
    await rotateSigningKey({ dataDir: bench.dataDir });
    expect((await stat(bench.file('signing.key'))).mode & 0o777).toBe(0o600);
    const second = await bench.start();
    expect(await isGood(second, old)).toBe(true);
    expect(kidsOf(await publicKeys(second))).toHaveLength(2);
    await bench.stop(second);
    await rotateSigningKey({ dataDir: bench.dataDir, revoke: true });
    expect(await isGood(await bench.start(), old)).toBe(false);
  });

  it('works with a memory store, whether or not its server runs', async () => {
    const server = await bench.start({ store: 'memory' });
    await rotateSigningKey({ dataDir: bench.dataDir });
    expect(kidsOf(await publicKeys(server))).toHaveLength(2);
    await bench.stop(server);
    await rotateSigningKey({ dataDir: bench.dataDir });
    expect(JSON.parse(await bench.read('signing.key')).keys).toHaveLength(3);
  });

  it('reports failures with a one-line message', async () => {
    await expect(rotateSigningKey({ dataDir: join(bench.root, 'none') })).rejects.toThrow('no signing key in');
    const server = await bench.start();
    await bench.send(server, `${groupPath}/accesskeys/admin`, { method: 'DELETE' });
    await expect(rotateSigningKey({ dataDir: bench.dataDir })).rejects.toThrow(
      /rejected the request for the rotation of the signing key: the access key of admin.kubeconfig is no longer valid/,
    );
  });

  itExceptOnEtcd('without a server reports a damaged key file and leaves it unchanged', offline, async () => {
    await bench.stop(await bench.start());
    await writeFile(bench.file('signing.key'), 'x');
    await expect(rotateSigningKey({ dataDir: bench.dataDir })).rejects.toThrow('is damaged');
    expect(await bench.read('signing.key')).toBe('x');
  });

  it('requires an admin and POST', async () => {
    const server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    const token = await bench.createKey(server, 'annas', { user: 'anna' });
    const scoped = await bench.createKey(server, 'narrow', { scope: { projects: [{ project: '*' }] } });
    const before = kidsOf(await publicKeys(server));
    const ask = (call: object, query = '') =>
      bench.send(server, `/auth/signing-keys${query}`, { method: 'POST', ...call });
    expect((await ask({ token })).code).toBe(403);
    expect((await ask({ token: scoped })).code).toBe(403);
    expect((await ask({ token: '' })).code).toBe(401);
    expect((await ask({ method: 'GET' })).code).toBe(405);
    expect((await ask({}, '?revoke=maybe')).code).toBe(400);
    expect(kidsOf(await publicKeys(server))).toEqual(before);
    const made = await ask({});
    expect(made.code).toBe(201);
    expect(made.text).not.toContain('"d"');
  });
});
