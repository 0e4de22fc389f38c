import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, listAt, textAt, textsAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { managementGroup, projectNamespace, projectRoles } from '../../src/api/naming.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { Canaries } from '../harness/canaries.ts';
import { dataFiles } from '../harness/data-files.ts';

const root = '/kubernetes/management';
const core = `${root}/api/v1/namespaces/${projectNamespace('red')}`;

let bench: ServerTestEnv;
let server: RunningServer;
let logged: string[];

beforeEach(async () => {
  bench = await ServerTestEnv.open();
  logged = [];
  const keep = (members: Record<string, unknown>, message: string) =>
    void logged.push(JSON.stringify(members), message, String(members.err ?? ''));
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const config = join(bench.root, 'config.yaml');
  await writeFile(config, 'audit:\n  rules:\n    - level: RequestResponse\n');
  server = await bench.start({ config, 'log-level': 'debug' }, systemClock, log);
  await bench.createObject(server, 'users', 'anna');
  await bench.createObject(server, 'projects', 'red', {
    members: [{ kind: 'User', name: 'anna', clusterRole: projectRoles.user }],
    allowedClusters: [{ name: '*' }],
    allowedTemplates: [{ name: '*' }],
  });
});
afterEach(() => bench.close());

const ask = (path: string, call: RequestOptions = {}) => bench.send(server, `${core}${path}`, call);
const post = (path: string, body: JsonValue, call: RequestOptions = {}) => ask(path, { method: 'POST', body, ...call });

async function made(path: string, body: JsonValue): Promise<JsonObject> {
  const answer = await post(path, body);
  expect(answer.code, answer.text).toBe(201);
  return answer.json;
}

describe('the Secrets and ConfigMaps of a project', () => {
  it('are in discovery and OpenAPI of the management API as in Kubernetes', async () => {
    const resources = listAt((await bench.send(server, `${root}/api/v1`)).json, 'resources');
    const found = (name: string) => resources.find((resource) => textAt(resource, 'name') === name);
    expect(found('secrets')).toMatchObject({ kind: 'Secret', namespaced: true, singularName: 'secret' });
    expect(found('configmaps')).toMatchObject({ kind: 'ConfigMap', namespaced: true, shortNames: ['cm'] });
    for (const plural of ['secrets', 'configmaps']) {
      expect(textsAt(found(plural), 'verbs')).toEqual(
        expect.arrayContaining(['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch']),
      );
    }
    const v3 = await bench.send(server, `${root}/openapi/v3/api/v1`);
    expect(v3.json).toHaveProperty(['paths', '/api/v1/namespaces/{namespace}/secrets/{name}', 'get']);
    const v2 = await bench.send(server, `${root}/openapi/v2`);
    expect(v2.json).toHaveProperty(['definitions', 'io.k8s.api.core.v1.ConfigMap']);
  });

  it('are Tables for kubectl, select by type, and take every kind of write', async () => {
    await made('/secrets', { metadata: { name: 'a' }, type: 'helm.sh/release.v1', stringData: { release: 'x' } });
    await made('/secrets', { metadata: { name: 'b' } });
    const table = await bench.request(
      server,
      `${core}/secrets`,
      {},
      { accept: 'application/json;as=Table;g=meta.k8s.io;v=v1' },
    );
    const rows = listAt((await table.body.json()) as JsonValue, 'rows');
    expect(rows.map((row) => listAt(row, 'cells').slice(0, 3))).toEqual([
      ['a', 'helm.sh/release.v1', 1],
      ['b', 'Opaque', 0],
    ]);
    const selected = await ask('/secrets?fieldSelector=type%3Dhelm.sh%2Frelease.v1');
    expect(listAt(selected.json, 'items').map((item) => textAt(item, 'metadata', 'name'))).toEqual(['a']);

    const strategic = { method: 'PATCH', type: 'application/strategic-merge-patch+json' } as const;
    expect((await ask('/secrets/b', { ...strategic, body: { stringData: { key: 'y' } } })).json).toMatchObject({
      data: { key: 'eQ==' },
    });
    const apply = { method: 'PATCH', type: 'application/apply-patch+yaml' } as const;
    const applied = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { key: 'value' } };
    expect((await ask('/configmaps/c?fieldManager=test', { ...apply, body: applied })).code).toBe(201);
    expect((await ask('/configmaps/c?fieldManager=test', { ...apply, body: applied })).code).toBe(200);
    expect((await ask('/configmaps/c?dryRun=All', mergePatch({ data: { key: 'other' } }))).json).toMatchObject({
      data: { key: 'other' },
    });
    const replaced = await ask('/configmaps/c', { method: 'PUT', body: { ...applied, data: { key: 'new' } } });
    expect(replaced.json, 'without a resourceVersion').toMatchObject({ data: { key: 'new' } });

    const protobuf = { accept: 'application/vnd.kubernetes.protobuf' };
    const bytes = await bench.request(server, `${core}/secrets/a`, {}, protobuf);
    expect(bytes.headers['content-type']).toBe('application/vnd.kubernetes.protobuf');
    expect(Buffer.from(await bytes.body.arrayBuffer()).subarray(0, 3)).toEqual(Buffer.from('k8s'));
  });

  it('are refused in namespaces without a project', async () => {
    const elsewhere = `${root}/api/v1/namespaces/default/configmaps`;
    const answer = await bench.send(server, elsewhere, { method: 'POST', body: { metadata: { name: 'a' } } });
    expect(answer.code).toBe(404);
    expect(answer.json.message).toBe('namespaces "default" not found');
  });

  it('are garbage collected with an instance that owns them', async () => {
    const instances = `${groupPath}/namespaces/${projectNamespace('red')}/virtualclusterinstances`;
    const owner = await bench.send(server, instances, { method: 'POST', body: { metadata: { name: 'web' } } });
    expect(owner.code, owner.text).toBe(201);
    const reference = {
      apiVersion: `${managementGroup}/v1`,
      kind: 'VirtualClusterInstance',
      name: 'web',
      uid: textAt(owner.json, 'metadata', 'uid'),
    };
    await made('/configmaps', { metadata: { name: 'of-web', ownerReferences: [reference] } });
    await bench.send(server, `${instances}/web`, { method: 'DELETE' });
    await until(async () => (await ask('/configmaps/of-web')).code === 404);
  });

  it('are deleted with the project', async () => {
    for (const plural of ['secrets', 'configmaps']) {
      for (const name of ['a', 'b']) await made(`/${plural}`, { metadata: { name } });
    }
    await bench.send(server, `${groupPath}/projects/red`, { method: 'DELETE' });
    await until(async () => (await bench.send(server, `${groupPath}/projects/red`)).code === 404);
    for (const plural of ['secrets', 'configmaps']) {
      const left = await bench.send(server, `${root}/api/v1/${plural}`);
      expect(listAt(left.json, 'items')).toEqual([]);
    }
  });

  it('are readable after a restart, and stored and logged without the values of Secrets', async () => {
    const canaries = new Canaries();
    const secret = (value: string, name = 'one') => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, annotations: { 'kubectl.kubernetes.io/last-applied-configuration': value } },
      stringData: { password: value },
    });
    await made('/configmaps', { metadata: { name: 'plain' }, data: { text: canaries.make('a ConfigMap') } });
    const stored = canaries.make('create');
    await made('/secrets', secret(stored));
    await post('/secrets', secret(canaries.make('create of an existing one')));
    await post('/secrets', { metadata: { name: 'bad' }, stringData: [canaries.make('a wrong type')] });
    await post('/secrets', secret(canaries.make('no permission')), {
      token: await bench.createKey(server, 'bob-key', { user: 'anna', scope: { rules: [{ verbs: ['get'] }] } }),
    });
    await ask('/secrets/one', mergePatch({ metadata: { labels: { a: canaries.make('a label') } } }));
    await ask('/secrets/one', mergePatch({ stringData: { other: canaries.make('merge patch') } }));
    await bench.stop(server);
    const files = await dataFiles(bench.dataDir);
    expect(files, 'the audit log exists').toContain(`/namespaces/${projectNamespace('red')}/secrets`);
    expect(canaries.foundIn(`${files}\n${logged.join('\n')}`)).toEqual(['a ConfigMap']);
    server = await bench.start();
    const read = await ask('/secrets/one');
    expect(Buffer.from(textAt(read.json, 'data', 'password'), 'base64').toString()).toBe(stored);
  });
});

/** Polls until the condition is true. The requests of each poll take enough time, so no pause is needed. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 1_000; turn += 1) if (await holds()) return;
  throw new Error('the condition did not become true in time');
}
