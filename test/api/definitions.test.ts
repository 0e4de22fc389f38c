import { type JsonObject, type JsonValue, listAt, textAt } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readLines } from '../../src/lib/read-lines.ts';
import { inPhase, instancesOf, waitForInstance } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const group = '/kubernetes/management/apis/apiextensions.k8s.io/v1';
const definitions = `${group}/customresourcedefinitions`;
const ofInstances = 'virtualclusterinstances.management.platform.sh';

describe('the definitions of the management kinds (completions §7)', () => {
  let bench: ServerTestEnv;
  let server: RunningServer;
  let token: string;

  beforeAll(async () => {
    bench = await ServerTestEnv.open();
    server = await bench.start();
    await bench.createObject(server, 'users', 'anna');
    token = await bench.createKey(server, 'of-anna', { user: 'anna' });
  });
  afterAll(() => bench.close());

  const ask = (path: string, call: RequestOptions = {}) => bench.send(server, path, call);

  it('are listed in discovery with the verbs get, list and watch', async () => {
    const { json } = await ask(group);
    expect(listAt(json, 'resources').map((one) => [textAt(one, 'name'), listAt(one, 'verbs')])).toEqual([
      ['customresourcedefinitions', ['get', 'list', 'watch']],
      ['customresourcedefinitions/status', ['get']],
    ]);
  });

  it('are readable for every user: one, all, as a table and by a watch', async () => {
    const list = await ask(definitions, { token });
    const names = listAt(list.json, 'items').map((item) => textAt(item, 'metadata', 'name'));
    expect(names).toContain(ofInstances);
    expect(names).toContain('ownedaccesskeys.management.platform.sh');
    expect(names.filter((name) => !name.endsWith('.management.platform.sh'))).toEqual([]);
    const one = await ask(`${definitions}/${ofInstances}`, { token });
    expect(one.json).toMatchObject({
      kind: 'CustomResourceDefinition',
      metadata: { uid: expect.any(String), resourceVersion: expect.any(String) },
      spec: { group: 'management.platform.sh', names: { kind: 'VirtualClusterInstance' } },
      status: { conditions: [{ type: 'NamesAccepted' }, { type: 'Established', status: 'True' }] },
    });
    const table = await bench.request(
      server,
      definitions,
      { token },
      { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    );
    expect(listAt((await table.body.json()) as JsonValue, 'rows')).toHaveLength(names.length);
    const watch = await bench.request(server, `${definitions}?watch=true`, { token });
    const seen: string[] = [];
    for await (const line of readLines(watch.body)) {
      seen.push(textAt((JSON.parse(line) as JsonObject).object as JsonValue, 'metadata', 'name'));
      if (seen.length === names.length) break;
    }
    expect(seen.sort()).toEqual([...names].sort());
  });

  it('cannot be written, also not by an admin', async () => {
    const path = `${definitions}/${ofInstances}`;
    const { json: body } = await ask(path);
    const calls: readonly (readonly [string, RequestOptions])[] = [
      [definitions, { method: 'POST', body: { metadata: { name: 'toys.example.com' } } }],
      [path, { method: 'PUT', body }],
      [path, mergePatch({ metadata: { labels: { a: 'b' } } })],
      [path, { method: 'DELETE' }],
      [definitions, { method: 'DELETE' }],
      [`${path}/status`, mergePatch({ status: {} })],
    ];
    for (const [to, call] of calls) {
      const answer = await ask(to, call);
      expect([call.method, answer.code, textAt(answer.json, 'reason')]).toEqual([call.method, 405, 'MethodNotAllowed']);
      expect((await ask(to, { ...call, token })).code).toBe(403);
    }
    expect((await ask(path)).json).toEqual(body);
  });

  it('are readable with a scoped key of a tool, and not with other scoped keys', async () => {
    const scoped = (name: string, scope: JsonObject) => bench.createKey(server, name, { user: 'anna', scope });
    const tool = await scoped('tool', { allowPlatformCli: true });
    expect((await ask(definitions, { token: tool })).code).toBe(200);
    const other = await scoped('other', { projects: [{ project: 'default' }] });
    expect((await ask(definitions, { token: other })).code).toBe(403);
  });

  it('are the same after a restart', async () => {
    const before = (await ask(definitions)).json;
    await bench.stop(server);
    server = await bench.start();
    expect((await ask(definitions)).json.items).toEqual(before.items);
  });

  it('are valid: a virtual cluster accepts each of them', async () => {
    expect((await ask(instancesOf('default'), { method: 'POST', body: { metadata: { name: 'inside' } } })).code).toBe(
      201,
    );
    await waitForInstance(bench, server, { name: 'inside' }, inPhase('Ready'));
    const inside = '/kubernetes/project/default/virtualcluster/inside';
    for (const item of listAt((await ask(definitions)).json, 'items')) {
      const { apiVersion, kind, spec, metadata } = item as JsonObject;
      const name = textAt(metadata ?? null, 'name');
      const body = { apiVersion: apiVersion ?? '', kind: kind ?? '', metadata: { name }, spec: spec ?? {} };
      const answer = await ask(`${inside}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`, {
        method: 'POST',
        body,
      });
      expect([name, answer.code, answer.text]).toEqual([name, 201, expect.any(String)]);
    }
    const { code, json } = await ask(
      `${inside}/apis/management.platform.sh/v1/namespaces/default/virtualclusterinstances`,
    );
    expect([code, json.kind]).toEqual([200, 'VirtualClusterInstanceList']);
    expect((await ask(groupPath)).code).toBe(200);
  });
});
