import type { JsonObject, JsonValue } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { groupPath, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { dataFiles } from '../harness/data-files.ts';

const apiVersion = `${managementGroup}/v1`;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const jsonPatch = 'application/json-patch+json';
const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';

let bench: ServerTestEnv;
let server: RunningServer;
beforeEach(async () => {
  bench = await ServerTestEnv.open();
  server = await bench.start();
});
afterEach(() => bench.close());

interface Secret {
  readonly plural: string;
  readonly kind: string;
  /** The member of spec that is never returned. */
  readonly member: string;
  /** Returns a value for the member. The value contains the marker. */
  value(marker: string): string;
  readonly spec?: JsonObject;
}

const secrets: readonly Secret[] = [
  { plural: 'ownedaccesskeys', kind: 'OwnedAccessKey', member: 'key', value: (marker) => marker },
  { plural: 'users', kind: 'User', member: 'password', value: (marker) => marker },
  {
    plural: 'clusters',
    kind: 'Cluster',
    member: 'kubeconfig',
    value: (token) =>
      JSON.stringify({
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
        clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
        users: [{ name: 'u', user: { token } }],
      }),
  },
];

describe.each(secrets)('spec.$member of $plural', ({ plural, kind, member, value }) => {
  const marker = 'Zq4vLw9XkT2mB7cR5yN8pD3fH6jS1aGe0oQu';
  const path = `${groupPath}/${plural}`;

  async function refused(call: { method?: 'POST' | 'PATCH'; type?: string; body: JsonValue }, suffix = '') {
    const at = call.method === 'PATCH' ? `${path}/one${suffix}` : `${path}${suffix}`;
    const answer = await bench.send(server, at, { method: 'POST', ...call });
    expect(answer.code, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.code, answer.text).toBeLessThan(500);
    expect(answer.text).not.toContain(marker.slice(0, 12));
    expect(answer.text).not.toContain(Buffer.from(marker.slice(0, 6)).toString('hex'));
    return answer;
  }

  it('appears in no refusal, for any error in the write', async () => {
    await bench.createObject(server, plural, 'one', { [member]: value('Aa3vLw9XkT2mB7cR5yN8pD3fH6jS1aGe0oQu') });
    const sent = value(marker);
    const annotations = { [lastApplied]: JSON.stringify({ spec: { [member]: sent } }) };

    await refused({ body: { metadata: { name: 'one' }, spec: { [member]: sent } } });
    await refused({ body: { metadata: { name: 'two' }, spec: { [member]: [sent] } } });
    await refused({ body: { metadata: { name: 'two' }, spec: sent } });
    await refused(
      { body: { metadata: { name: 'two' }, spec: { [member]: sent, nope: 1 } } },
      '?fieldValidation=Strict',
    );

    const typo = { metadata: { annotations }, spec: { [member]: sent, nope: 1 } };
    await refused({ method: 'PATCH', type: mergePatch, body: typo }, '?fieldValidation=Strict');
    await refused({ method: 'PATCH', type: mergePatch, body: { ...typo, metadata: { labels: 5 } } });
    const add = { op: 'add', path: `/spec/${member}`, value: sent };
    const operations = [add, { op: 'add', path: '/spec/nope', value: 1 }];
    await refused({ method: 'PATCH', type: jsonPatch, body: operations }, '?fieldValidation=Strict');
    await refused({ method: 'PATCH', type: jsonPatch, body: [add, { op: 'test', path: '/kind', value: 'x' }] });

    for (const spec of [{ [member]: [sent] }, { [member]: { inner: sent } }, sent, { [member]: sent, nope: sent }]) {
      await refused({ method: 'PATCH', type: applyPatch, body: { apiVersion, kind, spec } }, '?fieldManager=m');
    }
  });

  it.each([
    ['JSON', 'application/json', `{"spec":{"${member}":"${marker}"`],
    ['YAML', 'application/yaml', `spec: {${member}: "${marker}`],
    ['YAML of another type', 'application/yaml', `spec:\n  ${member}: !!int ${marker}\n`],
  ])('stands in no refusal of a body that is no %s', async (_, type, body) => {
    const response = await bench.request(server, path, { method: 'POST', type, raw: body });
    const text = await response.body.text();
    expect(response.statusCode, text).toBe(400);
    expect(text).not.toContain(marker.slice(0, 12));
    expect(text).not.toContain(Buffer.from(marker.slice(0, 6)).toString('hex'));
  });

  it("appears in no file, for any kind of write, nor in kubectl's last-applied annotation", async () => {
    const sent = value(marker);
    const manifest = { apiVersion, kind, metadata: { name: 'one' }, spec: { [member]: sent } };
    const texts = [
      JSON.stringify(manifest),
      `{"spec":{"${member}":"${marker}"},"spec":{}}`,
      JSON.stringify([manifest]),
    ];
    await bench.createObject(server, plural, 'one', { [member]: value('Aa3vLw9XkT2mB7cR5yN8pD3fH6jS1aGe0oQu') });
    for (const text of texts) {
      const body = { metadata: { annotations: { [lastApplied]: text } }, spec: { [member]: sent } };
      const answer = await bench.send(server, `${path}/one`, { method: 'PATCH', type: mergePatch, body });
      expect(answer.code, answer.text).toBe(200);
      expect(answer.text).not.toContain(marker);
    }
    const body = { ...manifest, metadata: { name: 'one' } };
    const applied = await bench.send(server, `${path}/one?fieldManager=kubectl&force=true`, {
      method: 'PATCH',
      type: applyPatch,
      body,
    });
    expect(applied.code, applied.text).toBe(200);
    const watched = `${path}?watch=true&timeoutSeconds=1&resourceVersion=1`;
    for (const read of [path, `${path}/one`, watched]) {
      const response = await bench.request(server, read);
      expect(response.statusCode).toBe(200);
      expect(await response.body.text()).not.toContain(marker);
    }
    await bench.stop(server);
    expect(await dataFiles(bench.dataDir)).not.toContain(marker);
  });
});

describe('an access key in an unrelated field', () => {
  it('is not recorded by the audit log', async () => {
    const key = await bench.createKey(server, 'mine');
    expect((await bench.send(server, `${groupPath}/ownedaccesskeys/${key}`, { method: 'DELETE' })).code).toBe(404);
    expect(await bench.read('audit.log')).toContain('"verb":"delete"');
    expect(await bench.read('audit.log')).not.toContain(key);
  });
});
