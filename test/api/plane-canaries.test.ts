import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { Canaries } from '../harness/canaries.ts';
import { dataFiles } from '../harness/data-files.ts';

const core = '/kubernetes/cluster/local/api/v1/namespaces/default';
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
/** A text that may appear in the searched places. A search that finds this text would also find the secrets. */
const harmless = 'the known text';

let bench: ServerTestEnv;
let server: RunningServer;
let canaries: Canaries;
let logged: string[];
let known: string;

beforeEach(async () => {
  bench = await ServerTestEnv.open();
  canaries = new Canaries();
  known = canaries.make(harmless);
  logged = [];
  const keep = (members: Record<string, unknown>, message: string) => {
    const error = members.err ?? members.error;
    logged.push(JSON.stringify(members), message, error instanceof Error ? `${error.stack}` : String(error));
  };
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const config = join(bench.root, 'config.yaml');
  await writeFile(config, 'audit:\n  rules:\n    - level: RequestResponse\n');
  server = await bench.start({ config, 'log-level': 'debug' }, systemClock, log);
});
afterEach(() => bench.close());

async function ask(path: string, call: RequestOptions = {}): Promise<{ code: number; json: JsonObject; text: string }> {
  const answer = await bench.send(server, `${core}${path}`, call);
  expect(answer.code, answer.text.slice(0, 300)).not.toBe(500);
  return answer;
}

/** Waits for the token, which the controller sets right after the create. */
async function filledIn(path: string): Promise<string> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const token = textAt((await ask(path)).json, 'data', 'token');
    if (token !== '') return token;
  }
  throw new Error('the controller did not set the token');
}

/** The canaries found on disk, in the audit log and in the server's own output. */
async function kept(): Promise<string[]> {
  await bench.stop(server);
  const files = await dataFiles(bench.dataDir);
  expect(files, 'the audit log exists').toContain('/namespaces/default/');
  return canaries.foundIn(`${files}\n${logged.join('\n')}`);
}

describe('secrets of a cluster', () => {
  it('are stored encrypted and appear in no log, for every kind of write (completions §5, §11)', async () => {
    const make = (way: string) => canaries.make(way);
    const secret = (value: string, metadata: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'one', ...metadata },
      stringData: { password: value },
      ...more,
    });
    const post = (way: string, body: (value: string) => JsonValue, query = '') =>
      ask(`/secrets${query}`, { method: 'POST', body: body(make(way)) });
    const patch = (way: string, type: string, body: (value: string) => JsonValue, query = '') =>
      ask(`/secrets/one${query}`, { method: 'PATCH', type: `application/${type}`, body: body(make(way)) });

    await ask('/configmaps', { method: 'POST', body: { metadata: { name: 'harmless' }, data: { text: known } } });
    expect((await post('create', (value) => secret(value))).code).toBe(201);
    await post('create of what is there', (value) => secret(value));
    await post('dry run', (value) => secret(value, { name: 'dry' }), '?dryRun=All');
    await post('invalid bytes', (value) => secret('', { name: 'bad' }, { data: { password: `${value}%` } }));
    await post('a wrong type', (value) => secret('', { name: 'bad' }, { stringData: [value] }));
    await post(
      'an unknown field',
      (value) => secret('', { name: 'bad' }, { [value]: value }),
      '?fieldValidation=Ignore',
    );
    const docker = { type: 'kubernetes.io/dockerconfigjson' };
    await post('invalid Docker credentials', (value) =>
      secret('', { name: 'docker' }, { ...docker, stringData: { '.dockerconfigjson': `{${value}` } }),
    );
    await ask('/secrets', { method: 'POST', raw: JSON.stringify(secret(make('cut off'))).slice(0, -2) });
    await patch('merge patch', 'merge-patch+json', (value) => secret(value));
    await patch('merge patch of a wrong type', 'merge-patch+json', (value) => ({ data: { password: [value] } }));
    await patch('merge patch with what kubectl keeps', 'merge-patch+json', (value) =>
      secret(value, { annotations: { [lastApplied]: JSON.stringify(secret(value)) } }),
    );
    await patch('strategic merge patch', 'strategic-merge-patch+json', (value) => secret(value));
    await patch('JSON patch', 'json-patch+json', (value) => [{ op: 'add', path: '/stringData', value: { x: value } }]);
    await patch('JSON patch that tests', 'json-patch+json', (value) => [{ op: 'test', path: '/data/x', value }]);
    await patch('apply', 'apply-patch+yaml', (value) => secret(value), '?fieldManager=m&force=true');
    await patch('apply that conflicts', 'apply-patch+yaml', (value) => secret(value), '?fieldManager=n');
    await ask('/secrets/one', { method: 'PUT', body: secret(make('replace')) });
    await ask('/secrets/one', { method: 'PUT', body: secret(make('replace that is refused'), {}, { type: 'other' }) });
    const last = make('what stands there at the end');
    await ask('/secrets/one', { method: 'PUT', body: secret(last) });
    const read = await ask('/secrets/one');
    expect(canaries.foundIn(read.text)).toEqual(['what stands there at the end']);
    expect(Buffer.from(textAt(read.json, 'data', 'password'), 'base64').toString()).toBe(last);
    await ask('/secrets/one', { method: 'DELETE' });
    expect(await kept()).toEqual([harmless]);
  });

  it('are unchanged after a restart of the server', async () => {
    const value = canaries.make('kept over a restart');
    await ask('/secrets', { method: 'POST', body: { metadata: { name: 'one' }, stringData: { value } } });
    await bench.stop(server);
    server = await bench.start();
    const read = await ask('/secrets/one');
    expect(Buffer.from(textAt(read.json, 'data', 'value'), 'base64').toString()).toBe(value);
  });
});

describe('tokens of service accounts', () => {
  it('appear in the responses that return them, and nowhere else (completions §6, §11)', async () => {
    const note = (label: string, token: string) => canaries.add(label, token.split('.')[2] ?? '');
    await ask('/configmaps', { method: 'POST', body: { metadata: { name: 'harmless' }, data: { text: known } } });
    const answer = await ask('/serviceaccounts/default/token', { method: 'POST', body: {} });
    expect(answer.code).toBe(201);
    const token = textAt(answer.json, 'status', 'token');
    note('asked for', token);
    const annotations = { 'kubernetes.io/service-account.name': 'default' };
    const type = 'kubernetes.io/service-account-token';
    await ask('/secrets', { method: 'POST', body: { metadata: { name: 'kept', annotations }, type } });
    note('in a secret', Buffer.from(await filledIn('/secrets/kept'), 'base64').toString());
    const reviews = '/kubernetes/cluster/local/apis/authentication.k8s.io/v1/tokenreviews';
    const reviewed = await bench.send(server, reviews, { method: 'POST', body: { spec: { token } } });
    expect(reviewed.json.status).toMatchObject({ authenticated: true });
    const path = '/kubernetes/cluster/local/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const self = await bench.send(server, path, { method: 'POST', token, body: {} });
    expect(textAt(self.json, 'status', 'userInfo', 'username')).toBe('system:serviceaccount:default:default');
    expect(
      (await bench.send(server, path, { method: 'POST', token: `${token.slice(0, -4)}AAAA`, body: {} })).code,
    ).toBe(401);
    expect((await bench.send(server, `/kubernetes/management/api/v1/namespaces`, { token })).code).toBe(401);
    expect(await kept()).toEqual([harmless]);
  });

  it('end their watches when they are revoked: after the account is deleted, the stream ends', async () => {
    await ask('/serviceaccounts', { method: 'POST', body: { metadata: { name: 'robot' } } });
    const binding = {
      metadata: { name: 'robot' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
    };
    const bindings = '/kubernetes/cluster/local/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
    expect((await bench.send(server, bindings, { method: 'POST', body: binding })).code).toBe(201);
    const answer = await ask('/serviceaccounts/robot/token', { method: 'POST', body: {} });
    const token = textAt(answer.json, 'status', 'token');
    const stream = await bench.request(server, `${core}/configmaps?watch=1`, { token });
    expect(stream.statusCode).toBe(200);
    const rest = stream.body.text().catch((error: unknown) => String(error));
    await ask('/serviceaccounts/robot', { method: 'DELETE' });
    await rest;
    expect((await bench.send(server, `${core}/configmaps`, { token })).code).toBe(401);
  });
});
