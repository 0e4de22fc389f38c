import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importedAnnotation } from '../../src/api/naming.ts';
import { virtualClustersPath } from '../../src/server/built-in-cluster.fixture.ts';
import { instancesOf, isGone, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

describe('imports with concurrent changes (completions §4)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
  });
  afterAll(() => bench.close());

  const ask = (path: string, call: RequestOptions = {}) => bench.send(server, path, call);
  const post = (body: JsonValue): RequestOptions => ({ method: 'POST', body });
  const instances = instancesOf('default');
  const importAs = (name: string, importName: string) =>
    ask(
      `${groupPath}/projects/default/importvirtualcluster`,
      post({ sourceVirtualCluster: { name, namespace: 'default', cluster: 'local', importName } }),
    );
  const holders = async (name: string) =>
    (listAt((await ask(instances)).json, 'items') as readonly JsonObject[]).filter(
      (item) => textAt(item, 'spec', 'clusterRef', 'virtualCluster') === name,
    );
  const until = (name: string, has: (object: JsonObject | undefined) => boolean) =>
    waitForInstance(bench, server, { name }, has);
  const uidAt = async (name: string) => textAt((await ask(`${virtualClustersPath}/${name}`)).json, 'metadata', 'uid');

  it('race with admins who give an instance the same location: exactly one succeeds', async () => {
    expect((await ask(virtualClustersPath, post({ metadata: { name: 'place' } }))).code).toBe(201);
    const clusterRef = { cluster: 'local', namespace: 'default', virtualCluster: 'place' };
    const byHand = (name: string) => ask(instances, post({ metadata: { name }, spec: { external: true, clusterRef } }));
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, at) => (at % 2 === 0 ? importAs('place', `i-${at}`) : byHand(`h-${at}`))),
    );
    expect(answers.map(({ code }) => code).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    expect(await holders('place')).toHaveLength(1);
  });

  it('race with the removal of the source: there is no instance, or one whose status reports the loss', async () => {
    for (let round = 0; round < 6; round++) {
      const name = `going-${round}`;
      expect((await ask(virtualClustersPath, post({ metadata: { name } }))).code).toBe(201);
      const [imported] = await Promise.all([
        importAs(name, name),
        ask(`${virtualClustersPath}/${name}`, { method: 'DELETE' }),
      ]);
      expect([201, 404, 409], imported.text).toContain(imported.code);
      if (imported.code !== 201) {
        expect(await holders(name)).toEqual([]);
        continue;
      }
      const failed = await until(name, (one) => ['NotFound', 'Replaced'].includes(textAt(one, 'status', 'reason')));
      expect(textAt(failed, 'status', 'message')).toContain('Delete the instance');
      expect((await ask(`${virtualClustersPath}/${name}`)).code).toBe(404);
    }
  });

  it('race with a replacement of the source: no instance ever adopts the replacement', async () => {
    for (let round = 0; round < 4; round++) {
      const name = `swapped-${round}`;
      expect((await ask(virtualClustersPath, post({ metadata: { name } }))).code).toBe(201);
      const swap = async () => {
        await ask(`${virtualClustersPath}/${name}`, { method: 'DELETE' });
        while ((await ask(virtualClustersPath, post({ metadata: { name } }))).code !== 201);
      };
      const [imported] = await Promise.all([importAs(name, name), swap()]);
      const now = await uidAt(name);
      if (imported.code !== 201) continue;
      const settled = await until(name, (one) => isReconciled(one) && textAt(one, 'status', 'reason') !== 'NotFound');
      const meant = textAt(settled, 'metadata', 'annotations', importedAnnotation);
      expect(textAt(settled, 'status', 'phase')).toBe(meant === now ? 'Ready' : 'Failed');
      await ask(`${instances}/${name}`, { method: 'DELETE' });
      await until(name, isGone);
      if (meant !== now) expect(await uidAt(name)).toBe(now);
    }
  });

  it('race with the deletion of the instance that owns the virtual cluster: the next import gets all of it or is refused', async () => {
    expect((await ask(virtualClustersPath, post({ metadata: { name: 'handed' } }))).code).toBe(201);
    const clusterRef = { cluster: 'local', namespace: 'default', virtualCluster: 'handed' };
    await ask(instances, post({ metadata: { name: 'first' }, spec: { external: true, clusterRef } }));
    const uid = await uidAt('handed');
    const deleted = ask(`${instances}/first`, { method: 'DELETE' });
    let answer = await importAs('handed', 'second');
    while (answer.code === 409) answer = await importAs('handed', 'second');
    await deleted;
    expect(answer.code, answer.text).toBe(201);
    const [holder, ...more] = await holders('handed');
    expect(more).toEqual([]);
    expect(textAt(holder, 'metadata', 'annotations', importedAnnotation)).toBe(uid);
    expect(await uidAt('handed')).toBe(uid);
  });
});
