import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import type { RootKeys } from '../root/root-keys.ts';
import { KmsPlugin } from './kms-plugin.fixture.ts';
import { openKmsRootKeys } from './kms-root-keys.ts';

let directory: string;
let plugin: KmsPlugin;
const opened: RootKeys[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kms-'));
  plugin = await KmsPlugin.start(join(directory, 'kms.sock'));
});
afterEach(async () => {
  for (const roots of opened.splice(0)) roots.close();
  plugin.stop();
  await rm(directory, { recursive: true });
});

async function open(startMs = 0): Promise<RootKeys> {
  const roots = await openKmsRootKeys({ endpoint: plugin.endpoint, clock: systemClock, log: silentLog, startMs });
  opened.push(roots);
  return roots;
}

const clear = Buffer.from('a key of thirty-two bytes, really');

describe('the root keys of a KMS plugin', () => {
  it('encrypt and decrypt with the current key of the plugin, also after it has changed', async () => {
    const roots = await open();
    const first = await roots.wrap('p', clear);
    expect(first.root).toBe('kms:key-1');
    expect(Buffer.from(first.wrapped, 'base64').includes(clear)).toBe(false);
    plugin.keyId = 'key-2';
    expect(await roots.currentId()).toBe('kms:key-2');
    const second = await roots.wrap('p', clear);
    expect(second.root).toBe('kms:key-2');
    expect(await roots.unwrap('p', first)).toEqual(clear);
    expect(await roots.unwrap('p', second)).toEqual(clear);
    expect(plugin.decrypted).toEqual(['key-1', 'key-2']);
  });

  it('refuse a key of another purpose, a modified one, and one of a removed key', async () => {
    const roots = await open();
    const wrapped = await roots.wrap('p', clear);
    await expect(roots.unwrap('q', wrapped)).rejects.toThrow(/decrypted a key of the store to a different value/);
    await expect(roots.unwrap('p', { ...wrapped, wrapped: 'AAAA' })).rejects.toThrow(/does not work/);
    plugin.removed.add('key-1');
    await expect(roots.unwrap('p', wrapped)).rejects.toThrow(/the KMS plugin at unix:.*the key key-1 was removed/);
  });

  it.each([
    [{ healthz: 'the HSM is offline' }, /is not healthy: the HSM is offline/],
    [{ version: 'v1' }, /has the API version "v1"; it must be v2/],
    [{ keyId: '' }, /returned a key ID of 0 bytes; it must have 1 to 1024/],
    [{ keyId: 'k'.repeat(1025) }, /returned a key ID of 1025 bytes/],
  ])('are not opened with the status %j', async (status, message) => {
    Object.assign(plugin, status);
    await expect(open()).rejects.toThrow(message);
  });

  it('are opened with the status v2beta1', async () => {
    plugin.version = 'v2beta1';
    expect(await (await open()).currentId()).toBe('kms:key-1');
  });

  it('wait for a plugin that is started later, and work again after it was restarted', async () => {
    plugin.stop();
    await expect(open()).rejects.toThrow(/the KMS plugin at unix:.* does not work/);
    const opening = open(20_000);
    await plugin.start();
    const roots = await opening;
    const wrapped = await roots.wrap('p', clear);
    plugin.stop();
    await expect(roots.unwrap('p', wrapped)).rejects.toThrow(/does not work/);
    await plugin.start();
    await expect.poll(() => roots.unwrap('p', wrapped).catch(() => undefined), { timeout: 10_000 }).toEqual(clear);
  });
});
