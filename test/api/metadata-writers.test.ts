import { type JsonObject, type JsonValue, listAt, textAt, valueAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles } from '../../src/api/naming.ts';
import { instancesOf, isGone, isReconciled, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const instances = instancesOf('red');
const finalizer = 'example.com/operator';

describe('operators that annotate, finalize and write the status of management objects (completions §2)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let token: string;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    for (const user of ['operator', 'viewer']) await bench.createObject(server, 'users', user);
    const access = [{ name: 'operator', verbs: ['get', 'update', 'patch', 'delete'], users: ['operator'] }];
    await bench.createObject(server, 'projects', 'red', {
      members: [
        { kind: 'User', name: 'operator', clusterRole: projectRoles.admin },
        { kind: 'User', name: 'viewer', clusterRole: projectRoles.viewer },
      ],
      allowedClusters: [{ name: '*' }],
      allowedTemplates: [{ name: '*' }],
    });
    await bench.createObject(server, 'virtualclustertemplates', 'shared', { access });
    await bench.createObject(server, 'clusters', 'peer', { networkPeer: true, access });
    token = await bench.createKey(server, 'of-operator', { user: 'operator' });
  });
  afterAll(() => bench.close());

  const ask = (path: string, call: RequestOptions = {}) => bench.send(server, path, { token, ...call });

  async function make(name: string): Promise<JsonObject> {
    const answer = await ask(instances, { method: 'POST', body: { metadata: { name } } });
    expect(answer.code, answer.text).toBe(201);
    return await waitForInstance(bench, server, { project: 'red', name }, isReconciled);
  }

  it('a finalizer that an operator adds delays the deletion until the operator removes it', async () => {
    const made = await make('held');
    const path = `${instances}/held`;
    const own = listAt(made, 'metadata', 'finalizers');
    const added = await ask(path, mergePatch({ metadata: { finalizers: [...own, finalizer] } }));
    expect([added.code, listAt(added.json, 'metadata', 'finalizers')]).toEqual([200, [...own, finalizer]]);
    expect(valueAt(added.json, 'metadata', 'generation')).toBe(1);
    expect((await ask(path, { method: 'DELETE' })).code).toBe(200);
    const waiting = await waitForInstance(
      bench,
      server,
      { project: 'red', name: 'held' },
      (object) => listAt(object, 'metadata', 'finalizers').join() === finalizer,
    );
    expect(textAt(waiting, 'metadata', 'deletionTimestamp')).not.toBe('');
    const removed = await ask(path, mergePatch({ metadata: { finalizers: [] } }));
    expect(removed.code, removed.text).toBe(200);
    await waitForInstance(bench, server, { project: 'red', name: 'held' }, isGone);
  });

  it.each(['projects/red', 'virtualclustertemplates/shared', 'clusters/peer'])(
    'a finalizer and an annotation are added to %s and removed by each patch type',
    async (object) => {
      const path = `${groupPath}/${object}`;
      const before = (await ask(path)).json;
      const existing = listAt(before, 'metadata', 'finalizers');
      const metadata: JsonObject = { finalizers: [...existing, finalizer], annotations: { 'example.com/seen': 'yes' } };
      const merged = await ask(path, mergePatch({ metadata }));
      expect([merged.code, merged.text]).toEqual([200, expect.stringContaining('example.com/seen')]);
      expect(listAt(merged.json, 'metadata', 'finalizers')).toEqual([...existing, finalizer]);
      expect(valueAt(merged.json, 'metadata', 'generation')).toBe(valueAt(before, 'metadata', 'generation'));
      const operations: JsonValue = [
        { op: 'remove', path: `/metadata/finalizers/${existing.length}` },
        { op: 'remove', path: '/metadata/annotations/example.com~1seen' },
      ];
      const restored = await ask(path, { method: 'PATCH', type: 'application/json-patch+json', body: operations });
      expect(restored.code, restored.text).toBe(200);
      expect(listAt(restored.json, 'metadata', 'finalizers')).toEqual(existing);
      expect(restored.json.spec).toEqual(before.spec);
    },
  );

  it('a write of the status changes nothing, and its response says so', async () => {
    const made = await make('watched');
    const path = `${instances}/watched/status`;
    const progress = { status: { phase: 'Failed', kopf: { progress: { create: { started: 'now' } } } } };
    const patched = await bench.request(server, path, { token, ...mergePatch(progress) });
    expect(patched.statusCode).toBe(200);
    expect(String(patched.headers.warning)).toContain('the status in the request is ignored');
    expect(await patched.body.json()).toEqual(made);
    const body = { ...made, status: { phase: 'Failed' } };
    expect((await ask(path, { method: 'PUT', body })).json).toEqual(made);
    const applied = await ask(`${path}?fieldManager=operator&force=true`, {
      method: 'PATCH',
      type: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'management.platform.sh/v1',
        kind: 'VirtualClusterInstance',
        metadata: { name: 'watched' },
        status: { phase: 'Failed' },
      },
    });
    expect([applied.code, applied.json]).toEqual([200, made]);
    expect((await ask(`${instances}/watched`)).json).toEqual(made);
  });

  it('a write of the status is checked like any other write', async () => {
    const made = await make('checked');
    const path = `${instances}/checked/status`;
    const stale = { ...made, metadata: { ...(made.metadata as JsonObject), resourceVersion: '1' } };
    expect((await ask(path, { method: 'PUT', body: stale })).code).toBe(409);
    expect((await ask(`${instances}/missing/status`, mergePatch({ status: {} }))).code).toBe(404);
    expect((await ask(path, mergePatch({ status: { conditions: 'none' } }))).code).toBe(422);
    const viewer = await bench.createKey(server, 'of-viewer', { user: 'viewer' });
    expect((await ask(path, { ...mergePatch({ status: {} }), token: viewer })).code).toBe(403);
  });
});
