import { type JsonObject, numberAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newInstallationIsolation } from '../../api/management/host-isolation/default-isolation.ts';
import { openSealer } from '../../seal/open-sealer.ts';
import { openMemoryStore } from '../../store/memory.ts';
import type { Store } from '../../store/store.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../server.fixture.ts';
import { readOptions } from '../settings/options.ts';
import { installationKey, isSealKeyOf } from './installation.ts';
import { withInstallationDefaults } from './installation-defaults.ts';

let bench: ServerTestEnv;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  bench.isNewInstallation = true;
});
afterEach(() => bench.close());

const day = 24 * 3600;
const scope = { projects: [{ project: 'default' }] };

describe('maximum lifetimes of access keys', () => {
  it('are a year in a new installation, and 90 days for keys without a scope', async () => {
    const server = await bench.start();
    const ttlOf = async (name: string, spec: object) =>
      numberAt(await bench.createObject(server, 'ownedaccesskeys', name, { ...spec }), 'spec', 'ttl');
    expect(await ttlOf('wide', {})).toBe(90 * day);
    expect(await ttlOf('narrow', { scope })).toBe(365 * day);
    const create = (spec: object) =>
      bench.send(server, `${groupPath}/ownedaccesskeys`, { method: 'POST', body: { spec: { ...spec } } });
    const refused = await create({ ttl: 91 * day });
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      422,
      expect.stringContaining('accessKeys.maxUnscopedTTL'),
    ]);
    expect((await create({ ttl: 91 * day, scope })).code).toBe(201);
    expect((await create({ ttl: 366 * day, scope })).code).toBe(422);
    // A key that loses its scope must not exceed the maximum lifetime of keys without a scope.
    const widened = await bench.send(
      server,
      `${groupPath}/ownedaccesskeys/narrow`,
      mergePatch({ spec: { scope: null } }),
    );
    expect(widened.code, widened.text).toBe(422);
  });

  it('do not exist in an installation that was created before the defaults', async () => {
    await bench.stop(await bench.start());
    const store = await bench.openStore();
    const key = installationKey('key-lifetimes');
    await store.transact({ checks: [], writes: [{ key, value: undefined }] });
    await store.close();
    const server = await bench.start();
    const made = await bench.createObject(server, 'ownedaccesskeys', 'endless');
    expect(made).not.toHaveProperty('spec.ttl');
  });

  it('follow the settings', async () => {
    const server = await bench.start(await bench.settings({ accessKeys: { maxTTL: 0, maxUnscopedTTL: 60 } }));
    expect(await bench.createObject(server, 'ownedaccesskeys', 'wide')).toMatchObject({ spec: { ttl: 60 } });
    expect(await bench.createObject(server, 'ownedaccesskeys', 'narrow', { scope })).not.toHaveProperty('spec.ttl');
  });
});

describe('the isolation of host namespaces', () => {
  const sealer = openSealer(new Uint8Array(32));
  const isolationIn = async (store: Store, settings: JsonObject = {}) => {
    const options = await readOptions(await bench.settings({ hosts: { isolation: settings } }));
    return (await withInstallationDefaults(options, store)).management.hosts.isolation;
  };

  it('has defaults in a new installation, also after its first start, which settings replace one by one', async () => {
    const store = openMemoryStore();
    expect(await isolationIn(store)).toEqual(newInstallationIsolation);
    await isSealKeyOf(store, sealer);
    expect(await isolationIn(store)).toEqual(newInstallationIsolation);
    expect(await isolationIn(store, { resourceQuota: { pods: 5 }, isolateNetwork: false })).toEqual({
      ...newInstallationIsolation,
      resourceQuota: { pods: 5 },
      isolateNetwork: false,
    });
  });

  it('has none in an installation that was created before the defaults', async () => {
    const store = openMemoryStore();
    await isSealKeyOf(store, sealer);
    expect(await isolationIn(store)).toEqual({});
    expect(await isolationIn(store, { isolateNetwork: true })).toEqual({ isolateNetwork: true });
  });
});
