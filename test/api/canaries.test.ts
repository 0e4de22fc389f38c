import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { groupPath, type RequestOptions, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import type { Store } from '../../src/store/store.ts';
import { Canaries } from '../harness/canaries.ts';
import { dataFiles } from '../harness/data-files.ts';

const apiVersion = `${managementGroup}/v1`;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const mergePatch = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const applyPatch = 'application/apply-patch+yaml';
/** A text that may appear in the searched places. A search that finds this text would also find the secrets. */
const harmless = 'the known text';
const known = 'Kn0wnT3xt9vQ2xL7mR4bZ8cW6yH1pJ5sD3fG';

let bench: ServerTestEnv;
let server: RunningServer;
let canaries: Canaries;
let logged: string[];

beforeEach(async () => {
  bench = await ServerTestEnv.open();
  canaries = new Canaries();
  canaries.add(harmless, known);
  logged = [];
  const keep = (members: Record<string, unknown>, message: string) => {
    const error = members.err ?? members.error;
    logged.push(JSON.stringify(members), message, error instanceof Error ? `${error.stack}` : String(error));
  };
  const log: Log = { debug: keep, info: keep, warn: keep, error: keep };
  const config = join(bench.root, 'config.yaml');
  // Secrets are sealed even if the rows that contain them are not encrypted.
  await writeFile(config, 'encryption:\n  rows: secrets\naudit:\n  rules:\n    - level: RequestResponse\n');
  server = await bench.start({ config, 'log-level': 'debug' }, systemClock, log);
});
afterEach(() => bench.close());

function secretsIn(text: string): string[] {
  return canaries.foundIn(text).filter((label) => label !== harmless);
}

/** A write-only member of spec, and how to put a canary into it. */
interface Secret {
  readonly plural: string;
  readonly kind: string;
  readonly member: string;
  spec(canary: string): JsonObject;
}

const kubeconfig = (token: string) =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
    users: [{ name: 'u', user: { token } }],
  });
const secrets: readonly Secret[] = [
  { plural: 'ownedaccesskeys', kind: 'OwnedAccessKey', member: 'key', spec: (key) => ({ key }) },
  { plural: 'users', kind: 'User', member: 'password', spec: (password) => ({ password }) },
  { plural: 'clusters', kind: 'Cluster', member: 'kubeconfig', spec: (token) => ({ kubeconfig: kubeconfig(token) }) },
  {
    plural: 'ownedaccesskeys',
    kind: 'OwnedAccessKey',
    member: 'identity',
    spec: (connectorData) => ({ identity: { connectorData } }),
  },
  {
    plural: 'ownedaccesskeys',
    kind: 'OwnedAccessKey',
    member: 'oidcLogin',
    spec: (token) => ({ oidcLogin: { idToken: token, accessToken: `a${token}`, refreshToken: `r${token}` } }),
  },
];

/** Sends the request and searches the whole response, headers included, for canaries other than the allowed one. */
async function send(label: string, path: string, call: RequestOptions, allowed?: string): Promise<JsonObject> {
  const response = await bench.request(server, path, call);
  const text = await response.body.text();
  expect(response.statusCode, `${label}: ${text.slice(0, 500)}`).not.toBe(500);
  const answer = `${JSON.stringify(response.headers)}\n${allowed === undefined ? text : text.replaceAll(allowed, '')}`;
  expect(secretsIn(answer), `${label}: ${response.statusCode}`).toEqual([]);
  return String(response.headers['content-type']).startsWith('application/json') && text.startsWith('{')
    ? JSON.parse(text)
    : {};
}

/** Writes a member in every way: correctly, by mistake, and as an attack. */
async function writeEveryWay({ plural, kind, member, spec }: Secret): Promise<void> {
  const path = `${groupPath}/${plural}`;
  const name = `one-${member.toLowerCase()}`;
  const one = `${path}/${name}`;
  const canary = (way: string) => canaries.make(`${plural} ${member}, ${way}`);
  const body = (value: string, more: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
    apiVersion,
    kind,
    metadata: { name, ...metadata },
    spec: { ...spec(value), description: known, ...more },
  });
  const annotated = (value: string, text: string) => body(value, {}, { annotations: { [lastApplied]: text } });
  const allowed = (value: string) => (member === 'key' ? value : undefined);
  const post = (way: string, at: string, sent: (value: string) => Partial<RequestOptions>, reveals = false) => {
    const value = canary(way);
    return send(way, at, { method: 'POST', ...sent(value) }, reveals ? allowed(value) : undefined);
  };
  const patch = (way: string, type: string, sent: (value: string) => JsonValue, query = '') =>
    send(way, `${one}${query}`, { method: 'PATCH', type, body: sent(canary(way)) });

  await post('create', path, (value) => ({ body: body(value) }), true);
  await post('create of what is there', path, (value) => ({ body: body(value) }));
  const yaml = (value: string) => ({
    type: 'application/yaml',
    raw: JSON.stringify(body(value, {}, { name: `${name}-y` })),
  });
  await post('create as YAML', path, yaml, true);
  await post('dry run', `${path}?dryRun=All`, (value) => ({ body: body(value, {}, { name: 'dry' }) }));
  await post('unknown field, warned of', `${path}?fieldValidation=Warn`, (value) => ({
    body: body(value, { nope: value }),
  }));
  await post('unknown field, refused', `${path}?fieldValidation=Strict`, (value) => ({
    body: body(value, { nope: value }),
  }));
  await post('wrong type', path, (value) => ({ body: body(value, { [member]: [value] }, { name: 'wrong' }) }));
  await post('spec is text', path, (value) => ({ body: { metadata: { name: 'wrong' }, spec: value } }));
  await post('cut off', path, (value) => ({ raw: JSON.stringify(body(value)).slice(0, -3) }));
  await post('member twice', `${path}?fieldValidation=Strict`, (value) => ({
    raw: JSON.stringify(body(value, {}, { name: 'twice' })).replace('"spec":{', `"spec":{"${member}":"${value}",`),
  }));
  await post('broken YAML', path, (value) => ({ type: 'application/yaml', raw: `spec: {${member}: "${value}` }));
  await post('not UTF-8', path, (value) => ({ raw: `{"spec":{"${member}":"${value}\\ud800"}` }));
  await post('another content type', path, (value) => ({ type: 'text/plain', raw: value }));
  await post('another kind', path, (value) => ({ body: { ...body(value), kind: 'Project' } }));
  await post('a kind without it', `${groupPath}/projects`, (value) => ({
    body: { metadata: { name: `p-${member.toLowerCase()}` }, spec: { ...spec(value), description: known } },
  }));
  await post('too large', path, (value) => ({
    raw: JSON.stringify(body(value, { description: 'x'.repeat(3_300_000) })),
  }));

  await patch('merge patch', mergePatch, (value) => body(value));
  await patch('merge patch with what kubectl keeps', mergePatch, (value) =>
    annotated(value, JSON.stringify(body(value))),
  );
  await patch('merge patch with broken last-applied', mergePatch, (value) =>
    annotated(value, `{"spec":{"x":"${value}"`),
  );
  await patch('JSON patch', jsonPatch, (value) => [
    { op: 'add', path: `/spec/${member}`, value: spec(value)[member] ?? value },
  ]);
  await patch('JSON patch that tests', jsonPatch, (value) => [{ op: 'test', path: `/spec/${member}`, value }]);
  await patch('JSON patch to nowhere', jsonPatch, (value) => [{ op: 'replace', path: '/spec/nowhere/x', value }]);
  await patch('apply', applyPatch, (value) => body(value), '?fieldManager=m&force=true');
  await patch('apply of a wrong type', applyPatch, (value) => body(value, { [member]: { value } }), '?fieldManager=m');
  await patch('strategic merge patch', 'application/strategic-merge-patch+json', (value) => body(value));
  const applied = canary('apply that creates');
  const call = { method: 'PATCH', type: applyPatch, body: body(applied, {}, { name: `${name}-a` }) } as const;
  await send('apply that creates', `${path}/${name}-a?fieldManager=m`, call, allowed(applied));
  const read = await send('read', one, {});
  const put = { ...read, spec: { ...(read.spec as JsonObject), ...spec(canary('replace')) } };
  await send('replace', one, { method: 'PUT', body: put });
  await send('replace that conflicts', one, { method: 'PUT', body: put });
}

/** Reads objects in every way. */
async function readEveryWay({ plural, member }: Secret): Promise<void> {
  const path = `${groupPath}/${plural}`;
  const forms = [
    'application/json',
    'application/yaml',
    'application/json;as=Table;v=v1;g=meta.k8s.io',
    'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  ];
  const watch = 'watch=true&timeoutSeconds=1';
  const queries = ['', '?includeObject=Object', `?${watch}`, `?${watch}&resourceVersion=1`];
  const reads = forms.flatMap((accept) => queries.map((query) => ({ accept, query })));
  await Promise.all(
    reads.map(async ({ accept, query }) => {
      const response = await bench.request(server, `${path}${query}`, {}, { accept });
      expect(secretsIn(await response.body.text()), `${accept} ${query}`).toEqual([]);
    }),
  );
  const sought = canaries.make(`${plural} ${member} as a field selector`);
  await send('field selector', `${path}?fieldSelector=spec.${member}%3D${sought}`, {});
}

it('no secret appears anywhere except in the one response that returns a new key (completions §5, §11)', async () => {
  for (const secret of secrets) await writeEveryWay(secret);
  await Promise.all(secrets.map(readEveryWay));

  const made = await send('a key that the server makes', `${groupPath}/ownedaccesskeys`, {
    method: 'POST',
    body: { metadata: { name: 'made' }, spec: {} },
  });
  const key = textAt(made, 'spec', 'key');
  expect(key).toMatch(/^flk_/);
  canaries.add('a key that the server made', key);
  await send('its use', `${groupPath}/ownedaccesskeys`, { token: key });
  const wrongPlace = `${groupPath}/ownedaccesskeys/${key}?token=${key}&labelSelector=${key}`;
  await send('its use as an unknown name', wrongPlace, {}, key);
  await send('a bearer that is nobody’s', '/metrics', { token: canaries.make('a bearer that is nobody’s') });
  await send('a token in the query', `/version?access_token=${canaries.make('a token in the query')}`, {});

  const password = canaries.make('a password that is right');
  await bench.createObject(server, 'users', 'anna', { password });
  const login = (sent: string) => ({ method: 'POST', token: '', body: { username: 'anna', password: sent } }) as const;
  await send('a wrong login', '/auth/password/login', login(canaries.make('a password that is wrong')));
  const entered = await send('a login', '/auth/password/login', login(password));
  canaries.add('the key of a login', textAt(entered, 'accessKey'));
  expect(textAt(entered, 'accessKey')).not.toBe('');
  await send('a login that is no JSON', '/auth/password/login', {
    ...login(''),
    raw: `{"password":"${canaries.make('a password in a broken body')}"`,
  });
  const issued = await send('a token', `${groupPath}/directclusterendpointtokens`, {
    method: 'POST',
    body: { spec: {} },
  });
  expect(textAt(issued, 'status', 'token')).not.toBe('');
  canaries.add('a direct token', textAt(issued, 'status', 'token').split('.')[2] ?? '');

  const nowhere = new Map<string, string>();
  nowhere.set('metrics', (await bench.send(server, '/metrics')).text);
  nowhere.set('backup', (await bench.send(server, '/backup')).text);
  await bench.stop(server);
  nowhere.set('audit log', await bench.read('audit.log'));
  nowhere.set('program’s log', logged.join('\n'));
  nowhere.set('data directory', await dataFiles(bench.dataDir));
  nowhere.set('rows of the store', await rows(await bench.openStore()));
  for (const [place, text] of nowhere) {
    expect(text.length, place).toBeGreaterThan(100);
    expect(secretsIn(text), place).toEqual([]);
  }
  // With a store on etcd, the objects are not in the data directory, but the audit log is.
  for (const place of ['backup', 'audit log', 'data directory', 'rows of the store']) {
    expect(canaries.foundIn(nowhere.get(place) ?? ''), place).toEqual([harmless]);
  }
}, 180_000);

async function rows(store: Store): Promise<string> {
  try {
    const found: string[] = [];
    for await (const row of store.dump()) found.push(JSON.stringify(row));
    return found.join('\n');
  } finally {
    await store.close();
  }
}
