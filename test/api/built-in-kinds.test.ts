import type { JsonValue } from '@flotilla/json';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configMapKind } from '../../src/api/core/config-map.ts';
import { protobufCodec } from '../../src/http/protobuf/envelope.ts';
import { type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';

const root = '/kubernetes/cluster/local';
const maps = '/api/v1/namespaces/default/configmaps';
const protobuf = 'application/vnd.kubernetes.protobuf';

let bench: ServerTestEnv;
let server: RunningServer;
beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
});
afterAll(() => bench.close());

const ask = (path: string, call: RequestOptions = {}) => bench.send(server, root + path, call);
const strategic = (path: string, body: JsonValue) =>
  ask(path, { method: 'PATCH', type: 'application/strategic-merge-patch+json', body });

describe('built-in Kubernetes kinds in the management API', () => {
  it('are serialized in the field order of Go, for any input order (DEC-25)', async () => {
    const body = { data: { b: '2', a: '1' }, immutable: false, metadata: { name: 'printed' }, kind: 'ConfigMap' };
    await ask(maps, { method: 'POST', body });
    const { text } = await ask(`${maps}/printed`);
    expect(text).toMatch(
      /^\{"kind":"ConfigMap","apiVersion":"v1","metadata":\{"name":"printed","namespace":"default",/,
    );
    expect(text).toMatch(/\},"immutable":false,"data":\{"a":"1","b":"2"\}\}\n$/);
    const role = { metadata: { name: 'printed' } };
    const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
    expect((await ask(roles, { method: 'POST', body: role })).text).toMatch(/"rules":null\}\n$/);
  });

  it('accept strategic merge patches; custom kinds and our own do not (PATCH-01, PATCH-02)', async () => {
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    await ask(accounts, { method: 'POST', body: { metadata: { name: 'robot' }, secrets: [{ name: 'a' }] } });
    const { code, json } = await strategic(`${accounts}/robot`, { secrets: [{ name: 'b' }] });
    expect(code).toBe(200);
    expect(json).toMatchObject({ secrets: [{ name: 'b' }, { name: 'a' }] });
    const clusters = '/apis/storage.platform.sh/v1/namespaces/default/virtualclusters';
    expect((await strategic(`${clusters}/x`, {})).code).toBe(415);
  });

  it('disclose no secret when a strategic merge patch fails', async () => {
    const secrets = '/api/v1/namespaces/default/secrets';
    await ask(secrets, { method: 'POST', body: { metadata: { name: 'one' }, data: { a: 'aA==' } } });
    for (const body of [{ data: { $patch: 'merge', k: 'hush' } }, { data: 'hush' }, { hush: 1, data: { a: 5 } }]) {
      const { code, text } = await strategic(`${secrets}/one?fieldValidation=Strict`, body);
      expect(code).toBe(422);
      expect(text).not.toContain('"hush');
      expect(text).not.toMatch(/:hush/);
    }
  });

  it('support protobuf, in watches too (NEG-06)', async () => {
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wire' }, binaryData: { b: 'AAE=' } };
    const raw = protobufCodec.encode(object);
    const made = await bench.request(
      server,
      root + maps,
      { method: 'POST', type: protobuf, raw },
      { accept: protobuf },
    );
    expect([made.statusCode, made.headers['content-type']]).toEqual([201, protobuf]);
    const answer = protobufCodec.decode(configMapKind, new Uint8Array(await made.body.arrayBuffer()));
    expect(answer).toMatchObject({ metadata: { name: 'wire', namespace: 'default' }, binaryData: { b: 'AAE=' } });
    const path = `${root}${maps}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dwire`;
    const watched = await bench.request(server, path, {}, { accept: `${protobuf};stream=watch` });
    expect(watched.headers['content-type']).toBe(`${protobuf};stream=watch`);
    expect(await watched.body.text()).toContain('ADDED');
  });
});
