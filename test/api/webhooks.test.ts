import { type JsonObject, type JsonValue, listAt, numberAt, textAt } from '@flotilla/json';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { projectRoles } from '../../src/api/naming.ts';
import { instancesOf } from '../../src/server/instances.fixture.ts';
import { groupPath, mergePatch, ServerTestEnv } from '../../src/server/server.fixture.ts';
import type { RunningServer } from '../../src/server/start-server.ts';
import { WebhookReceiver } from '../../src/server/webhooks/webhook-receiver.fixture.ts';
import { eventually } from '../bad-days/eventually.ts';

const people = ['chief', 'anna', 'viewer', 'other', 'auditor'] as const;
type Person = (typeof people)[number] | 'admin';

let bench: ServerTestEnv;
let server: RunningServer;
const keys = new Map<string, string>();
const receivers: WebhookReceiver[] = [];
const hooks = instancesOf('red', 'projectwebhooks');
const permissive = { webhooks: { addresses: ['127.0.0.1/32'], allowPlainHttp: true } };

const start = async (settings: JsonObject = permissive) => bench.start(await bench.settings(settings));

async function restart(settings: JsonObject = permissive): Promise<void> {
  await bench.stop(server);
  server = await start(settings);
}

const ask = (who: Person, path: string, call: { method?: 'POST' | 'DELETE'; body?: JsonValue } = {}) => {
  const token = keys.get(who);
  return bench.send(server, path, token === undefined ? call : { ...call, token });
};

async function receiver(): Promise<WebhookReceiver> {
  const started = await WebhookReceiver.start();
  receivers.push(started);
  return started;
}

async function createHook(name: string, spec: JsonObject, who: Person = 'chief', path = hooks): Promise<JsonObject> {
  const made = await ask(who, path, { method: 'POST', body: { metadata: { name }, spec } });
  expect(made.code, made.text).toBe(201);
  return made.json;
}

const patchHook = async (name: string, spec: JsonObject) => {
  const answer = await bench.send(server, `${hooks}/${name}`, mergePatch({ spec }));
  expect(answer.code, answer.text).toBe(200);
};

/** Changes the description of the project, which writes an activity record. */
async function act(project = 'red'): Promise<void> {
  const spec = { description: `changed at ${performance.now()}` };
  const answer = await bench.send(server, `${groupPath}/projects/${project}`, mergePatch({ spec }));
  expect(answer.code, answer.text).toBe(200);
}

const readHook = async (name: string) => (await ask('chief', `${hooks}/${name}`)).json;
const hookWhen = (name: string, isReached: (hook: JsonObject) => boolean) =>
  eventually(60, () => readHook(name), isReached);
const receives = (at: WebhookReceiver, count: number) =>
  eventually(
    60,
    async () => at.received.length,
    (found) => found >= count,
  );
const readyReason = (hook: JsonObject) =>
  textAt(
    listAt(hook, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready'),
    'reason',
  );

const member = (name: string, role: keyof typeof projectRoles) => ({
  kind: 'User',
  name,
  clusterRole: projectRoles[role],
});

beforeAll(async () => {
  bench = await ServerTestEnv.open();
  server = await start();
  for (const name of people) {
    await bench.createObject(server, 'users', name, name === 'auditor' ? { groups: ['platform:auditors'] } : {});
    keys.set(name, await bench.createKey(server, `of-${name}`, { user: name }));
  }
  await bench.createObject(server, 'projects', 'red', {
    members: [member('chief', 'admin'), member('anna', 'user'), member('viewer', 'viewer')],
  });
  await bench.createObject(server, 'projects', 'blue', { members: [member('other', 'admin')] });
}, 120_000);
afterEach(async () => {
  for (const each of receivers.splice(0)) each.close();
  const { json } = await ask('admin', `${groupPath}/projectwebhooks`);
  for (const { metadata } of listAt(json, 'items') as { metadata: { name: string; namespace: string } }[]) {
    await ask(
      'admin',
      `${instancesOf(metadata.namespace.replace(/^platform-p-/, ''), 'projectwebhooks')}/${metadata.name}`,
      {
        method: 'DELETE',
      },
    );
  }
});
afterAll(() => bench.close());

describe('a webhook of a project', () => {
  it('receives the records after its creation in order, signed as Standard Webhooks, and unchanged', async () => {
    const at = await receiver();
    await act();
    const made = await createHook('ours', { url: at.url });
    const secret = textAt(made, 'spec', 'secret');
    expect(secret).toMatch(/^whsec_/);
    for (let count = 0; count < 3; count++) await act();
    await receives(at, 3);
    const { json } = await ask('chief', instancesOf('red', 'activityrecords?limit=3'));
    const records = listAt(json, 'items').toReversed();
    const standard = new Webhook(secret);
    for (const [index, { headers, body, path, json: record }] of at.received.entries()) {
      expect(path).toBe('/hook?a=b');
      expect(headers['content-type']).toBe('application/json');
      expect(standard.verify(body, headers as Record<string, string>)).toEqual(records[index]);
      expect(headers['webhook-id']).toBe(textAt(record, 'metadata', 'name'));
      expect(textAt(record, 'action')).toBe('Changed');
    }
    const hook = await hookWhen('ours', (each) => readyReason(each) === 'Delivered');
    expect(numberAt(hook, 'status', 'lastDeliveryCode')).toBe(204);
    expect(textAt(hook, 'status', 'lastDeliveryMessage')).toBe('the receiver responded with 204 No Content');
    expect(numberAt(hook, 'status', 'failures')).toBe(undefined);
  }, 60_000);

  it('receives only the actions that it selects', async () => {
    const at = await receiver();
    await createHook('some', { url: at.url, actions: ['Created', 'Deleted'] });
    await act();
    await createHook('another', { url: at.url, actions: ['Failed'] });
    await receives(at, 1);
    expect(at.received.map(({ json }) => textAt(json, 'involvedObject', 'name'))).toEqual(['another']);
  }, 60_000);

  it('receives a record again after the receiver failed, with the same ID and another signature', async () => {
    const at = await receiver();
    const made = await createHook('retried', { url: at.url });
    at.answer = (_message, response) => void response.writeHead(500).end('x'.repeat(1_000_000));
    await act();
    const failing = await hookWhen('retried', (each) => readyReason(each) === 'DeliveryFailed');
    expect(failing.status).toMatchObject({
      failures: 1,
      lastDeliveryCode: 500,
      lastDeliveryMessage: 'the receiver responded with 500 Internal Server Error',
      nextAttemptTime: expect.any(String),
    });
    at.accept();
    await act();
    await receives(at, 3);
    const standard = new Webhook(textAt(made, 'spec', 'secret'));
    for (const { body, headers } of at.received) standard.verify(body, headers as Record<string, string>);
    const ids = at.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
    await hookWhen('retried', (each) => readyReason(each) === 'Delivered');
  }, 60_000);

  it('receives a record that waited while the server was restarted', async () => {
    const at = await receiver();
    at.answer = (_message, response) => void response.writeHead(503).end();
    await createHook('restarted', { url: at.url });
    await act();
    await hookWhen('restarted', (each) => readyReason(each) === 'DeliveryFailed');
    at.accept();
    await restart();
    await receives(at, 2);
    expect(at.received[1]?.headers['webhook-id']).toBe(at.received[0]?.headers['webhook-id']);
  }, 60_000);

  it('is tried at once after a change, and receives nothing while it is suspended', async () => {
    const at = await receiver();
    const dead = await receiver();
    await createHook('changed', { url: dead.url });
    dead.close();
    await act();
    const failing = await hookWhen('changed', (each) => readyReason(each) === 'DeliveryFailed');
    expect(textAt(failing, 'status', 'lastDeliveryMessage')).toBe('the receiver refused the connection');
    await patchHook('changed', { url: at.url, suspend: true });
    await hookWhen('changed', (each) => readyReason(each) === 'Suspended');
    await act();
    await patchHook('changed', { suspend: false, actions: ['Created'] });
    await receives(at, 1);
    await createHook('afterwards', { url: at.url, actions: ['Failed'] });
    await receives(at, 3);
    const described = at.received.map(
      ({ json }) => `${textAt(json, 'involvedObject', 'name')}: ${textAt(json, 'message')}`,
    );
    // The record of the suspension was written before the suspension.
    expect(described).toEqual([
      'red: changed spec.description',
      'changed: changed spec.url, spec.suspend',
      'afterwards: created',
    ]);
  }, 60_000);

  it('delays no other webhook if its receiver does not respond', async () => {
    const [slow, fast] = [await receiver(), await receiver()];
    slow.answer = () => {};
    for (const name of ['slow-1', 'slow-2', 'slow-3']) await createHook(name, { url: slow.url, actions: ['Changed'] });
    await createHook('fast', { url: fast.url, actions: ['Changed'] });
    await createHook('other', { url: fast.url }, 'other', instancesOf('blue', 'projectwebhooks'));
    await act();
    await receives(slow, 3);
    const begin = performance.now();
    for (let count = 0; count < 3; count++) await act();
    await act('blue');
    await receives(fast, 5);
    expect(performance.now() - begin).toBeLessThan(8_000);
    expect(slow.received.length).toBe(3);
  }, 60_000);

  it('ends with its queue, so that a later webhook of the same name receives only later records', async () => {
    const [dead, at] = [await receiver(), await receiver()];
    dead.answer = (_message, response) => void response.writeHead(500).end();
    await createHook('same', { url: dead.url });
    await act();
    await hookWhen('same', (each) => readyReason(each) === 'DeliveryFailed');
    expect((await ask('chief', `${hooks}/same`, { method: 'DELETE' })).code).toBe(200);
    await createHook('same', { url: at.url, actions: ['Changed'] });
    await act();
    await receives(at, 1);
    const { json } = await ask('chief', instancesOf('red', 'activityrecords?limit=1'));
    expect(at.received.map(({ json: record }) => record)).toEqual([listAt(json, 'items')[0]]);
  }, 60_000);
});

describe('the secret of a webhook', () => {
  it('is in the response to its creation, and nowhere else', async () => {
    const at = await receiver();
    const generated = textAt(await createHook('generated', { url: at.url }), 'spec', 'secret');
    const own = `whsec_${Buffer.alloc(32, 'canary').toString('base64')}`;
    const applied = JSON.stringify({ spec: { secret: own } });
    const body = {
      metadata: { name: 'own', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': applied } },
      spec: { url: at.url, secret: own },
    };
    const made = await ask('chief', hooks, { method: 'POST', body });
    expect(made.code, made.text).toBe(201);
    const texts = [made.text];
    for (const path of [hooks, `${hooks}/own`, `${hooks}/generated`]) texts.push((await ask('chief', path)).text);
    const token = keys.get('chief') ?? '';
    const watch = await bench.request(server, `${hooks}?watch=true&timeoutSeconds=1`, { token });
    texts.push(await watch.body.text());
    texts.push((await ask('chief', `${hooks}/own/test`, { method: 'POST', body: {} })).text);
    texts.push(await bench.read('audit.log'));
    await bench.stop(server);
    const store = await bench.openStore();
    for await (const row of store.dump()) texts.push(JSON.stringify(row));
    await store.close();
    server = await start();
    for (const text of texts) for (const secret of [generated, own]) expect(text).not.toContain(secret.slice(6, 40));
    const tested = at.received.find(({ json }) => textAt(json, 'action') === 'Test');
    if (tested === undefined) throw new Error('a test event was received');
    new Webhook(own).verify(tested.body, tested.headers as Record<string, string>);
  }, 60_000);

  it('can be replaced, but not by an invalid one, which the error does not contain', async () => {
    const at = await receiver();
    await createHook('replaced', { url: at.url });
    const next = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    await patchHook('replaced', { secret: next });
    await act();
    await receives(at, 1);
    const [message] = at.received;
    if (message === undefined) throw new Error('a message was received');
    new Webhook(next).verify(message.body, message.headers as Record<string, string>);
    for (const secret of ['too-short-secret', 'whsec_abc', `whsec_${'!'.repeat(40)}`]) {
      const refused = await bench.send(server, `${hooks}/replaced`, mergePatch({ spec: { secret } }));
      expect(refused.code).toBe(422);
      expect(refused.text).toContain('spec.secret');
      expect(refused.text).not.toContain(secret);
    }
  }, 60_000);
});

describe('the addresses of webhooks', () => {
  it('are public https addresses unless a setting says otherwise', async () => {
    await restart({});
    const refused = async (url: string) => {
      const made = await ask('chief', hooks, {
        method: 'POST',
        body: { metadata: { name: 'refused' }, spec: { url } },
      });
      expect(made.code, url).toBe(422);
      expect(made.text).toContain('spec.url');
      return textAt(made.json, 'message');
    };
    try {
      for (const host of [
        '127.0.0.1',
        '10.1.2.3',
        '169.254.169.254',
        '[::1]',
        '[fe80::1]',
        '[::ffff:127.0.0.1]',
        '2130706433',
      ]) {
        expect(await refused(`https://${host}/hook`), host).toContain('webhooks.addresses');
      }
      expect(await refused('http://example.com/hook')).toContain('webhooks.allowPlainHttp');
      expect(await refused('https://user:pass@example.com/')).toContain('must not contain a user name');
      for (const url of ['', 'ftp://example.com/', 'example.com', 'https://example.com/#part']) await refused(url);
      // The host name resolves only to denied addresses. This is checked when a record is sent.
      await createHook('named', { url: 'https://localhost/' });
      const tested = await ask('chief', `${hooks}/named/test`, { method: 'POST', body: {} });
      expect(tested.code, tested.text).toBe(201);
      expect(tested.json.status).toMatchObject({ delivered: false });
      expect(textAt(tested.json, 'status', 'message')).toContain('webhooks.addresses');
    } finally {
      await restart();
    }
  }, 60_000);
});

describe('a test event', () => {
  it('is sent at once and returns the result', async () => {
    const at = await receiver();
    const made = await createHook('tested', { url: at.url, actions: ['Failed'], suspend: true });
    const test = (query = '') => ask('chief', `${hooks}/tested/test${query}`, { method: 'POST', body: {} });
    expect((await test('?dryRun=All')).code).toBe(201);
    expect(at.received).toEqual([]);
    const tested = await test();
    expect(tested.code, tested.text).toBe(201);
    expect(tested.json.status).toMatchObject({ delivered: true, code: 204, durationMilliseconds: expect.any(Number) });
    const { body, headers, json } = at.received[0] ?? { body: '', headers: {}, json: {} };
    new Webhook(textAt(made, 'spec', 'secret')).verify(body, headers as Record<string, string>);
    expect(json).toMatchObject({ kind: 'ActivityRecord', action: 'Test', actor: 'chief' });
    at.answer = (_message, response) => void response.writeHead(302, { location: at.url }).end();
    expect((await test()).json.status).toMatchObject({ delivered: false, code: 302 });
    expect(at.received.length).toBe(2);
    expect((await ask('chief', `${hooks}/missing/test`, { method: 'POST', body: {} })).code).toBe(404);
  }, 60_000);

  it('is limited per project', async () => {
    const at = await receiver();
    const path = instancesOf('blue', 'projectwebhooks');
    await createHook('limited', { url: at.url }, 'other', path);
    const codes: number[] = [];
    for (let count = 0; count < 12; count++) {
      codes.push((await ask('other', `${path}/limited/test`, { method: 'POST', body: {} })).code);
    }
    expect(codes.filter((code) => code === 201).length).toBe(10);
    expect(codes.slice(10)).toEqual([429, 429]);
  }, 60_000);
});

describe('access to webhooks', () => {
  it('is limited to admins of the project; auditors may read', async () => {
    const at = await receiver();
    await createHook('ours', { url: at.url });
    for (const who of ['anna', 'viewer', 'other'] as const) {
      const path = `${hooks}/ours`;
      expect((await ask(who, hooks)).code, who).toBe(403);
      expect((await ask(who, path)).code, who).toBe(403);
      expect((await ask(who, `${path}/test`, { method: 'POST', body: {} })).code, who).toBe(403);
      expect((await ask(who, path, { method: 'DELETE' })).code, who).toBe(403);
      const body = { metadata: { name: 'theirs' }, spec: { url: at.url } };
      expect((await ask(who, hooks, { method: 'POST', body })).code, who).toBe(403);
      expect(listAt((await ask(who, `${groupPath}/projectwebhooks`)).json, 'items'), who).toEqual([]);
    }
    for (const who of ['admin', 'auditor', 'chief'] as const) {
      expect(listAt((await ask(who, hooks)).json, 'items').length, who).toBe(1);
    }
    expect((await ask('auditor', `${hooks}/ours/test`, { method: 'POST', body: {} })).code).toBe(403);
  });

  it('follows the projects in the scope of a key', async () => {
    const at = await receiver();
    await createHook('ours', { url: at.url });
    const keyFor = (project: string) =>
      bench.createKey(server, `scoped-${project}`, { user: 'admin', scope: { roles: [], projects: [{ project }] } });
    const [red, blue] = [await keyFor('red'), await keyFor('blue')];
    expect((await bench.send(server, `${hooks}/ours`, { token: red })).code).toBe(200);
    expect((await bench.send(server, `${hooks}/ours`, { token: blue })).code).toBe(403);
    expect((await bench.send(server, `${hooks}/ours/test`, { token: blue, method: 'POST', body: {} })).code).toBe(403);
  });

  it('is possible to a limited number of webhooks per project, and ends with the project', async () => {
    const at = await receiver();
    await bench.createObject(server, 'projects', 'full', {});
    const path = instancesOf('full', 'projectwebhooks');
    const body = (index: number) => ({ metadata: { name: `hook-${index}` }, spec: { url: at.url } });
    const codes = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, index) => (await ask('admin', path, { method: 'POST', body: body(index) })).code,
      ),
    );
    expect(codes.filter((code) => code === 201).length).toBe(10);
    expect(codes.filter((code) => code === 403).length).toBe(2);
    expect((await ask('admin', `${groupPath}/projects/full`, { method: 'DELETE' })).code).toBe(200);
    await eventually(
      60,
      () => ask('admin', `${groupPath}/projects/full`),
      ({ code }) => code === 404,
    );
    expect(listAt((await ask('admin', `${groupPath}/projectwebhooks`)).json, 'items')).toEqual([]);
  }, 60_000);
});
