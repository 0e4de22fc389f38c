import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type EncryptionStatus, encryptionPath } from '../../api/encryption/encryption-status.ts';
import { exampleExchange } from '../../http/plane.fixture.ts';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { CloseStack } from '../../process/close-stack.ts';
import { KmsPlugin } from '../../seal/kms/kms-plugin.fixture.ts';
import { dataKeyIdOf } from '../../seal/rows/row-cipher.ts';
import type { Key } from '../../store/key.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { propertiesOf, type Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import type { ServerOptions } from '../settings/options.ts';
import { encryptionHandler } from './encryption-handler.ts';
import { isClearRow } from './is-clear-row.ts';
import { type Encryption, openEncryption } from './open-encryption.ts';
import { KeyRotation } from './rotation.ts';

let root: string;
let closing: CloseStack;
let clock: ManualClock;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'rotation-'));
  closing = new CloseStack(silentLog);
  clock = new ManualClock();
});
afterEach(async () => {
  await closing.close();
  await rm(root, { recursive: true });
});

/** A store that accepts a number of writes and then has no space. */
class FillingStore {
  readonly inner = openMemoryStore();
  /** The number of transactions until the disk is full. */
  room = Number.POSITIVE_INFINITY;

  get store(): Store {
    const { inner } = this;
    const assertRoom = () => {
      if (this.room <= 0) throw new StoreError('OutOfSpace', 'the disk of the data directory is full');
    };
    return {
      ...propertiesOf(inner),
      get: (key) => inner.get(key),
      list: (range, options) => inner.list(range, options),
      transact: async (transaction) => {
        assertRoom();
        this.room--;
        return await inner.transact(transaction);
      },
      removePrefix: (range) => inner.removePrefix(range),
      revision: (slice) => inner.revision(slice),
      observe: (range, since, observer) => inner.observe(range, since, observer),
      history: (range, since, options) => inner.history(range, since, options),
      compact: (slice, upTo) => inner.compact(slice, upTo),
      assertWritable: async () => assertRoom(),
      dump: () => inner.dump(),
      close: () => inner.close(),
    };
  }
}

interface Server {
  readonly encryption: Encryption;
  readonly rotation: KeyRotation;
}

async function openServer(store: Store, kms?: string): Promise<Server> {
  const settings: { encryption: ServerOptions['encryption'] } = {
    encryption: { rows: 'all', kms, rootKey: undefined },
  };
  const sealKeyFile = join(root, 'seal.key');
  const encryption = await openEncryption({ store, settings, sealKeyFile, clock, log: silentLog, closing });
  encryption.keyring.enable();
  return { encryption, rotation: new KeyRotation({ encryption, clock, log: silentLog }) };
}

const rowKey = (index: number): Key => ({ slice: 'management', segments: ['users', `user-${index}`] });
const rowCount = 60;

async function writeRows({ encryption }: Server): Promise<void> {
  for (let index = 0; index < rowCount; index++) {
    await encryption.store.transact({ writes: [{ key: rowKey(index), value: `value ${index}` }] });
  }
}

async function readRows({ encryption }: Server): Promise<(string | undefined)[]> {
  const { entries } = await encryption.store.list({ slice: 'management', prefix: [] }, {});
  return entries.map(({ value }) => value).sort();
}

async function keysAtRest(store: Store): Promise<(string | undefined)[]> {
  const keys = new Set<string | undefined>();
  for await (const row of store.dump()) {
    if (row.row === 'entry' && !isClearRow(row.key)) keys.add(dataKeyIdOf(row.value));
  }
  return [...keys];
}

/** Advances the clock until the status fulfils the condition. Returns the status. */
async function reaches(rotation: KeyRotation, isReached: (status: EncryptionStatus) => boolean) {
  let status: EncryptionStatus | undefined;
  await expect
    .poll(async () => {
      clock.advance(500);
      status = await rotation.status();
      return isReached(status);
    })
    .toBe(true);
  return status;
}

it('a rotation waits while the disk is full, reports it, and continues when there is space, without losing a row', async () => {
  const filling = new FillingStore();
  const server = await openServer(filling.store);
  await writeRows(server);
  const before = await readRows(server);
  await server.rotation.rotate();
  // The store accepts three more writes: the progress and two groups of rows.
  filling.room = 3;
  closing.add('rotation', server.rotation.start());
  const full = await reaches(server.rotation, ({ rewrite }) => rewrite?.problem !== undefined);
  expect(full?.rewrite?.problem).toBe('the disk of the data directory is full');
  expect(await keysAtRest(filling.inner)).toHaveLength(2);
  expect(await readRows(server)).toEqual(before);

  const other = await openServer(filling.store);
  expect((await other.rotation.status()).rewrite?.problem).toBe('the disk of the data directory is full');

  filling.room = Number.POSITIVE_INFINITY;
  const done = await reaches(server.rotation, ({ rewrite }) => rewrite === undefined);
  expect(await keysAtRest(filling.inner)).toEqual([done?.dataKey]);
  expect(await readRows(await openServer(filling.store))).toEqual(before);
});

it('a rotation is refused without a change if the disk is already full', async () => {
  const filling = new FillingStore();
  const server = await openServer(filling.store);
  const before = await server.rotation.status();
  filling.room = 0;
  const request = exampleExchange(encryptionPath, {}, 'POST');
  const problem = { code: 507, message: 'the disk of the data directory is full' };
  await expect(encryptionHandler(server.rotation)(request)).rejects.toMatchObject({ status: problem });
  expect(await server.rotation.status()).toEqual(before);
});

it('a rotation is refused without a change if the KMS plugin stops before all keys are encrypted', async () => {
  const plugin = await KmsPlugin.start(join(root, 'kms.sock'));
  const filling = new FillingStore();
  const server = await openServer(filling.store, plugin.endpoint);
  const before = await server.rotation.status();
  plugin.onEncrypt = () => plugin.stop();
  await expect(server.rotation.rotate()).rejects.toThrow(/the KMS plugin at unix:.* does not work/);
  plugin.onEncrypt = undefined;
  await plugin.start();
  expect(await server.rotation.status()).toEqual(before);
  await server.rotation.rotate();
  plugin.stop();
  // The rewrite does not need the stopped KMS plugin, because all keys are in memory.
  closing.add('rotation', server.rotation.start());
  await reaches(server.rotation, ({ rewrite }) => rewrite === undefined);
});

it('a rotation waits while the KMS plugin of the leader is unavailable, reports it on all servers, and continues', async () => {
  const [own, others] = [await KmsPlugin.start(join(root, 'a.sock')), await KmsPlugin.start(join(root, 'b.sock'))];
  for (const plugin of [own, others]) closing.add('plugin', () => plugin.stop());
  const { store } = new FillingStore();
  const leader = await openServer(store, own.endpoint);
  const other = await openServer(store, others.endpoint);
  await writeRows(leader);
  own.stop();
  await other.rotation.rotate();
  await leader.encryption.keyring.reload();
  closing.add('rotation', leader.rotation.start());
  const waiting = await reaches(other.rotation, ({ rewrite }) => rewrite?.problem !== undefined);
  expect(waiting?.rewrite?.problem).toMatch(/the KMS plugin at unix:.*a.sock does not work/);
  await own.start();
  const done = await reaches(leader.rotation, ({ rewrite }) => rewrite === undefined);
  expect(done?.problem).toBeUndefined();
  expect(await keysAtRest(store)).toEqual([done?.dataKey]);
  expect(await readRows(other)).toHaveLength(rowCount);
});
