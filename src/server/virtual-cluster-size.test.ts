import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { textAt } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { BuiltInClusterTestEnv, proxyPath } from './built-in-cluster.fixture.ts';
import { mergePatch } from './server.fixture.ts';

const maxBytes = 2 * 1024 * 1024;
const configMaps = (cluster: string) => `${proxyPath(cluster)}/api/v1/namespaces/default/configmaps`;

describe('a virtual cluster at its limits', () => {
  const at = BuiltInClusterTestEnv.forEach();

  const write = (cluster: string, name: string, length: number) =>
    at.post(configMaps(cluster), { metadata: { name }, data: { text: 'x'.repeat(length) } });

  async function start(): Promise<void> {
    const config = join(at.bench.root, 'config.yaml');
    await writeFile(config, JSON.stringify({ planes: { maxBytes } }));
    await at.restart({ config });
  }

  /** Creates objects up to the limit and returns their number. */
  async function fill(cluster: string): Promise<number> {
    for (let index = 0; index < 20; index++) {
      const { code, json } = await write(cluster, `large-${index}`, maxBytes / 8);
      if (code === 201) continue;
      expect([code, textAt(json, 'message')]).toEqual([
        403,
        `configmaps "large-${index}" is forbidden: the cluster is full: its objects have reached the limit of 2 MiB (server setting planes.maxBytes); delete objects to free space`,
      ]);
      return index;
    }
    throw new Error('it is never full');
  }

  it('rejects writes that need more memory, and accepts them again after deletions', async () => {
    await start();
    await at.createVirtualCluster('one');
    await at.createVirtualCluster('two');
    expect(await fill('one')).toBeGreaterThan(2);

    const first = `${configMaps('one')}/large-0`;
    expect((await write('one', 'small', 1)).code).toBe(403);
    expect((await at.send(first, mergePatch({ data: { more: 'y' } }))).code).toBe(403);
    expect((await at.send(first, mergePatch({ data: { text: 'y'.repeat(maxBytes / 8) } }))).code).toBe(200);
    expect((await at.send(configMaps('one'))).code).toBe(200);
    expect((await write('two', 'small', 1)).code).toBe(201);

    expect((await at.send(configMaps('one'), { method: 'DELETE' })).code).toBe(200);
    expect((await write('one', 'small', 1)).code).toBe(201);
  });

  it('rejects one object too many, and accepts it after a deletion', async () => {
    const maxObjects = 120;
    const config = join(at.bench.root, 'config.yaml');
    await writeFile(config, JSON.stringify({ planes: { maxObjects } }));
    await at.restart({ config });
    await at.createVirtualCluster('one');
    let created = 0;
    let refused = await write('one', 'first', 1);
    while (refused.code === 201 && created < maxObjects) refused = await write('one', `object-${++created}`, 1);
    expect([refused.code, textAt(refused.json, 'message')]).toEqual([
      403,
      `configmaps "object-${created}" is forbidden: the cluster is full: it has 120 objects, the maximum (server setting planes.maxObjects); delete objects to free space`,
    ]);
    expect(created).toBeGreaterThan(50);
    expect((await at.send(`${configMaps('one')}/object-1`, mergePatch({ data: { text: 'longer' } }))).code).toBe(200);
    expect((await at.send(`${configMaps('one')}/object-1`, { method: 'DELETE' })).code).toBe(200);
    expect((await write('one', 'other', 1)).code).toBe(201);
    expect((await write('one', 'another', 1)).code).toBe(403);
  });

  it('can still be emptied: by namespace, with finalizers, and in the foreground', async () => {
    await start();
    await at.createVirtualCluster('one');
    const core = `${proxyPath('one')}/api/v1`;
    expect((await at.post(`${core}/namespaces`, { metadata: { name: 'much' } })).code).toBe(201);
    const maps = `${core}/namespaces/much/configmaps`;
    const data = { text: 'x'.repeat(maxBytes / 8) };
    expect((await at.post(maps, { metadata: { name: 'held', finalizers: ['a.test/b'] }, data })).code).toBe(201);
    await fill('one');
    expect((await at.send(`${maps}/held?propagationPolicy=Foreground`, { method: 'DELETE' })).code).toBe(200);
    expect((await at.send(`${core}/namespaces/much`, { method: 'DELETE' })).code).toBe(200);
    const waiting = async () => textAt((await at.send(`${core}/namespaces/much`)).json, 'status', 'phase');
    await expect.poll(waiting).toBe('Terminating');
    expect((await at.send(`${maps}/held`, mergePatch({ metadata: { finalizers: null } }))).code).toBe(200);
    await expect.poll(async () => (await at.send(`${core}/namespaces/much`)).code, { timeout: 20_000 }).toBe(404);
    expect((await write('one', 'small', 1)).code).toBe(201);
  });
});
