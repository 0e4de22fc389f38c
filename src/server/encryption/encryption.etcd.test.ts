import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt, textsAt, valueAt } from '@flotilla/json';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { describeIfAvailable } from '../../../test/harness/suite.ts';
import { encryptionPath } from '../../api/encryption/encryption-status.ts';
import { containsSealedText } from '../../seal/open-sealer.ts';
import { dataKeyIdOf } from '../../seal/rows/row-cipher.ts';
import { createSealKeyFile, readSealKeyFile, writeSealKeyFile } from '../../seal/seal-key-file.ts';
import { rangeMethod } from '../../store/etcd/client/methods.ts';
import { EtcdCluster, noEtcd } from '../../store/etcd/etcd.fixture.ts';
import { openEtcdStore } from '../../store/etcd/etcd-store.ts';
import type { DumpRow } from '../../store/store.ts';
import { ServerTestEnv } from '../server.fixture.ts';
import type { RunningServer } from '../start-server.ts';
import { isClearRow } from './is-clear-row.ts';

let cluster: EtcdCluster;
let bench: ServerTestEnv;
let prefixes = 0;
let flags: { readonly store: string; readonly 'etcd-prefix': string; readonly config: string };

beforeAll(async () => {
  cluster = await EtcdCluster.start();
});
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  const config = join(bench.root, 'config.yaml');
  await writeFile(config, 'encryption: {rows: all}');
  flags = { store: cluster.endpoints, 'etcd-prefix': `encryption/${prefixes++}`, config };
});
afterEach(() => bench.close());
afterAll(() => cluster.stop());

const sealKeyOf = (name: string) => join(bench.root, name, 'seal.key');

async function startTwo(): Promise<[RunningServer, RunningServer]> {
  bench.dataDir = join(bench.root, 'a');
  const first = await bench.start({ ...flags, 'data-dir': join(bench.root, 'a') });
  await mkdir(join(bench.root, 'b'), { mode: 0o700 });
  for (const file of ['seal.key', 'signing.key', 'ca.crt', 'ca.key']) {
    await cp(join(bench.root, 'a', file), join(bench.root, 'b', file));
  }
  return [first, await bench.start({ ...flags, 'data-dir': join(bench.root, 'b') })];
}

async function dump(): Promise<DumpRow[]> {
  const store = await openEtcdStore({ endpoints: flags.store, prefix: flags['etcd-prefix'], mustExist: true });
  const rows: DumpRow[] = [];
  for await (const row of store.dump()) rows.push(row);
  await store.close();
  return rows;
}

/** Returns the IDs of the data keys of all rows that may be encrypted; 'clear' for rows in clear. */
async function keysAtRest(): Promise<string[]> {
  const keys = new Set<string>();
  for (const row of await dump()) {
    if (row.row === 'entry' && !isClearRow(row.key)) keys.add(dataKeyIdOf(row.value) ?? 'clear');
  }
  return [...keys].sort();
}

const statusOf = async (server: RunningServer) => (await bench.send(server, encryptionPath)).json;

describeIfAvailable(noEtcd, 'servers on a new etcd prefix', () => {
  it('store nothing of an object in clear, not even in the rows that the first one writes', async () => {
    const [first, second] = await startTwo();
    const displayName = 'the plans of the northern office';
    await bench.createObject(first, 'users', 'anna', { displayName });
    expect(await bench.names(second, 'users')).toContain('anna');
    const client = cluster.client();
    const { kvs } = await client.call(rangeMethod, { key: '\0', rangeEnd: '\0' });
    client.close();
    expect(kvs.filter(({ value }) => value.includes('northern office'))).toEqual([]);
    expect(await keysAtRest()).toEqual([expect.stringMatching(/^[\w-]{8}$/)]);
  });

  it('rotate their seal key without a restart, while both of them write', async () => {
    const [first, second] = await startTwo();
    const old = (await readSealKeyFile(sealKeyOf('a'))) ?? [];
    const next = await createSealKeyFile(join(bench.root, 'next.key'));
    await writeSealKeyFile(sealKeyOf('a'), [next, ...old]);
    await expect
      .poll(async () => textAt((await bench.send(first, encryptionPath, { method: 'POST' })).json, 'message'), {
        timeout: 20_000,
      })
      .toMatch(/^these servers do not have the seal key [\da-f]{12}: .*; copy the seal key file to them/);
    const { neededRootKeys, nextRootKey } = await statusOf(first);
    expect(neededRootKeys).not.toContain(nextRootKey);

    await writeSealKeyFile(sealKeyOf('b'), [next, ...old]);
    const rotated = async () => (await bench.send(second, encryptionPath, { method: 'POST' })).code;
    await expect.poll(rotated, { timeout: 20_000 }).toBe(201);
    for (let index = 0; index < 10; index++) {
      await bench.createObject(index % 2 === 0 ? first : second, 'users', `user-${index}`);
    }
    await expect.poll(async () => valueAt(await statusOf(first), 'rewrite'), { timeout: 40_000 }).toBeUndefined();
    for (const [name, server] of [
      ['a', first],
      ['b', second],
    ] as const) {
      await writeSealKeyFile(sealKeyOf(name), [next]);
      expect(await bench.names(server, 'users')).toHaveLength(11);
      const status = await statusOf(server);
      expect(textsAt(status, 'neededRootKeys')).toEqual([textAt(status, 'nextRootKey')]);
    }
    expect(await keysAtRest()).toEqual([textAt(await statusOf(first), 'dataKey')]);
    await bench.stop(second);
    const again = await bench.start({ ...flags, 'data-dir': join(bench.root, 'b') });
    expect(await bench.names(again, 'users')).toHaveLength(11);
  });

  it('with encryption.rows: secrets, encrypt all secrets with a new key, and the old seal key can be removed', async () => {
    await writeFile(flags.config, 'encryption: {rows: secrets}');
    const [first, second] = await startTwo();
    const password = 'correct horse battery';
    await bench.createObject(first, 'users', 'before', { password });
    const sealedInClear = async () =>
      (await dump()).filter((row) => row.row === 'entry' && containsSealedText(row.value)).length;
    expect(await sealedInClear()).toBeGreaterThan(0);

    const next = await createSealKeyFile(join(bench.root, 'next.key'));
    const old = (await readSealKeyFile(sealKeyOf('a'))) ?? [];
    for (const name of ['a', 'b']) await writeSealKeyFile(sealKeyOf(name), [next, ...old]);
    const rotated = async () => (await bench.send(second, encryptionPath, { method: 'POST' })).code;
    await expect.poll(rotated, { timeout: 20_000 }).toBe(201);
    for (const [index, server] of [first, second, first, second].entries()) {
      await bench.createObject(server, 'users', `user-${index}`, { password });
    }
    await expect.poll(async () => valueAt(await statusOf(first), 'rewrite'), { timeout: 40_000 }).toBeUndefined();
    expect(await sealedInClear()).toBe(0);
    expect(await keysAtRest()).toEqual([textAt(await statusOf(first), 'dataKey'), 'clear'].sort());

    for (const name of ['a', 'b']) await writeSealKeyFile(sealKeyOf(name), [next]);
    await bench.stop(first);
    await bench.stop(second);
    const again = await bench.start({ ...flags, 'data-dir': join(bench.root, 'b') });
    for (const username of ['before', 'user-0', 'user-3']) {
      const body = { username, password };
      const { code, text } = await bench.send(again, '/auth/password/login', { method: 'POST', token: '', body });
      expect(code, text).toBe(201);
    }
  });
});
