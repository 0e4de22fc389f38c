import { type JsonObject, textAt } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../../test/bad-days/eventually.ts';
import { sleepUnusedReason } from '../api/management/sleep-reasons.ts';
import { deleteAfterAnnotation, managementGroup, sleepAfterAnnotation } from '../api/naming.ts';
import { ManualClock } from '../lib/clock.ts';
import { Browser } from './auth/browser.fixture.ts';
import { builtInClusterPath, proxyPath, virtualClustersPath } from './built-in-cluster.fixture.ts';
import { gatewayPath, instances } from './gateway.fixture.ts';
import { ReplicasTestEnv, type ServerReplica } from './replicas.fixture.ts';
import { groupPath, mergePatch } from './server.fixture.ts';

let clock: ManualClock;
let at: ReplicasTestEnv;
let first: ServerReplica;
let second: ServerReplica;

// With a manual clock, the replicas confirm their caches only when a request needs it.
beforeEach(async () => {
  clock = new ManualClock();
  at = await ReplicasTestEnv.open(clock);
  ({ first, second } = at);
});
afterEach(() => at.close());

/** Advances the clock in small steps, so that answers of the store and of other threads arrive in between. */
async function pass(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += 100) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

async function create(replica: ServerReplica, path: string, body: JsonObject): Promise<JsonObject> {
  const response = await replica.send(path, { method: 'POST', body });
  expect(response.code, response.text).toBe(201);
  return response.json;
}

async function createUser(replica: ServerReplica, name: string): Promise<string> {
  await replica.bench.createObject(replica.server, 'users', name);
  return await replica.bench.createKey(replica.server, `${name}s`, { user: name });
}

const useLocal = (user: string) =>
  mergePatch({ spec: { access: [{ name: 'use', verbs: ['use', 'get'], users: [user] }] } });
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const adminRole = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' };
const userSubject = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });

describe('a replica that receives changes late', () => {
  it('accepts every key that another replica has created', async () => {
    first.gate.hold();
    second.gate.hold();
    const refused: string[] = [];
    for (let count = 0; count < 50; count++) {
      const [creator, other] = Math.random() < 0.5 ? [first, second] : [second, first];
      const token = await creator.bench.createKey(creator.server, `key-${count}`);
      const code = await other.code(`${groupPath}/projects`, token);
      if (code !== 200) refused.push(`key-${count}: ${code}`);
    }
    expect(refused).toEqual([]);
  });

  it('grants the permissions that another replica has written', async () => {
    const token = await createUser(first, 'anna');
    expect(await second.code(`${groupPath}/clusters/local`, token)).toBe(403);
    second.gate.hold();
    expect((await first.send(`${groupPath}/clusters/local`, useLocal('anna'))).code).toBe(200);
    expect(await second.code(`${groupPath}/clusters/local`, token)).toBe(200);
  });

  it('reviews the permissions that another replica has written', async () => {
    const token = await createUser(first, 'anna');
    second.gate.hold();
    expect((await first.send(`${groupPath}/clusters/local`, useLocal('anna'))).code).toBe(200);
    const resourceAttributes = { verb: 'get', group: managementGroup, resource: 'clusters', name: 'local' };
    const path = '/kubernetes/management/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
    const review = await second.send(path, { method: 'POST', token, body: { spec: { resourceAttributes } } });
    expect(review.json).toMatchObject({ status: { allowed: true } });
  });

  it('still refuses what does not exist', async () => {
    second.gate.hold();
    await first.bench.createObject(first.server, 'users', 'anna');
    expect(await second.code(`${groupPath}/projects`, 'not-a-key')).toBe(401);
    expect(await second.code(`${groupPath}/users/nobody`)).toBe(404);
    expect(await second.code('/kubernetes/cluster/nowhere/version')).toBe(404);
    expect(await second.code(`${proxyPath('none')}/version`)).toBe(404);
  });

  it('accepts a browser session that another replica has opened', async () => {
    const key = await first.bench.createKey(first.server, 'for-browser');
    const browser = new Browser(first.bench, first.server);
    second.gate.hold();
    await browser.signIn({ accessKey: key });
    const other = new Browser(second.bench, second.server);
    other.cookie = browser.cookie;
    expect((await other.send(`${groupPath}/projects`)).code).toBe(200);
    expect((await other.send('/auth/session')).code).toBe(200);
  });

  it('accepts an access key for a login right after it was created', async () => {
    second.gate.hold();
    const key = await first.bench.createKey(first.server, 'for-login');
    await new Browser(second.bench, second.server).signIn({ accessKey: key });
  });

  it('serves a virtual cluster that another replica has created', async () => {
    second.gate.hold();
    await create(first, virtualClustersPath, { metadata: { name: 'one' } });
    expect(await second.code(`${proxyPath('one')}/api/v1/namespaces/default`)).toBe(200);
  });

  it('authorizes with the roles inside a virtual cluster that another replica has written', async () => {
    const token = await createUser(first, 'anna');
    await first.send(`${groupPath}/clusters/local`, useLocal('anna'));
    await create(first, virtualClustersPath, { metadata: { name: 'one' } });
    const configMaps = `${proxyPath('one')}/api/v1/namespaces/default/configmaps`;
    expect(await second.code(configMaps, token)).toBe(403);
    second.gate.hold();
    const binding = { metadata: { name: 'anna' }, roleRef: adminRole, subjects: [userSubject('anna')] };
    await create(first, `${builtInClusterPath}${rbac}/clusterrolebindings`, binding);
    await create(first, `${proxyPath('one')}${rbac}/clusterrolebindings`, binding);
    const body = { metadata: { name: 'mine' }, data: { from: 'anna' } };
    const created = await second.send(configMaps, { method: 'POST', body, token });
    expect(created.code, created.text).toBe(201);
    expect(await first.code(`${configMaps}/mine`, token)).toBe(200);
  });

  it('serves a custom resource whose definition another replica has established', async () => {
    await create(first, virtualClustersPath, { metadata: { name: 'one' } });
    const root = proxyPath('one');
    expect(await second.code(`${root}/apis`)).toBe(200);
    second.gate.hold();
    const names = { plural: 'boats', singular: 'boat', kind: 'Boat', listKind: 'BoatList' };
    const schema = { openAPIV3Schema: { type: 'object' } };
    await create(first, `${root}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`, {
      metadata: { name: 'boats.example.dev' },
      spec: {
        group: 'example.dev',
        names,
        scope: 'Cluster',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    await create(first, `${root}/apis/example.dev/v1/boats`, { metadata: { name: 'tug' } });
    expect(await second.code(`${root}/apis/example.dev/v1/boats/tug`)).toBe(200);
    expect(await second.code(`${root}/apis/example.dev/v1`)).toBe(200);
  });

  it('accepts a token of a service account that another replica has created', async () => {
    await create(first, virtualClustersPath, { metadata: { name: 'one' } });
    const accounts = `${proxyPath('one')}/api/v1/namespaces/default/serviceaccounts`;
    expect(await second.code(accounts)).toBe(200);
    second.gate.hold();
    await create(first, accounts, { metadata: { name: 'bot' } });
    const issued = await create(first, `${accounts}/bot/token`, { spec: {} });
    // The token is valid, but the roles of the virtual cluster deny the request.
    expect(await second.code(accounts, textAt(issued, 'status', 'token'))).toBe(403);
  });
});

describe('a replica that is cut off from the store', () => {
  it('authenticates nobody after a second, so that a revoked key is rejected everywhere', async () => {
    const key = await first.bench.createKey(first.server, 'revoked');
    expect(await second.code(`${groupPath}/projects`, key)).toBe(200);
    second.gate.disconnect();
    const removal = await first.send(`${groupPath}/ownedaccesskeys/revoked`, { method: 'DELETE' });
    expect(removal.code, removal.text).toBe(200);
    await pass(2_000);
    const { statusCode, headers, body } = await second.bench.request(second.server, `${groupPath}/projects`, {
      token: key,
    });
    await body.dump();
    expect([statusCode, headers['retry-after']]).toEqual([503, '1']);
    expect(await second.code('/readyz/current-permissions', '')).toBe(500);
    expect(await second.code('/livez', '')).toBe(200);
    second.gate.reconnect();
    await pass(2_000);
    expect(await second.code(`${groupPath}/projects`, key)).toBe(401);
    expect(await second.code('/readyz/current-permissions', '')).toBe(200);
  });

  it('ends watches after four seconds', async () => {
    const watch = await second.bench.request(second.server, `${groupPath}/projects?watch=true`);
    second.gate.disconnect();
    await pass(3_500);
    let hasEnded = false;
    const reading = watch.body.text().then((text) => {
      hasEnded = true;
      return text;
    });
    await pass(100);
    expect(hasEnded).toBe(false);
    await pass(1_000);
    expect(await reading).toContain('"code":503');
  });
});

it('a virtual cluster stays in the memory of one replica after a minute without use', async () => {
  const loaded = async (replica: ServerReplica) => {
    const { text } = await replica.send('/metrics');
    return Number(/^flotilla_control_planes_loaded (\d+)$/m.exec(text)?.[1]);
  };
  // The built-in cluster is loaded at both replicas. Workers report their planes once a second.
  const until = (total: number) =>
    eventually(
      10,
      async () => (await loaded(first)) + (await loaded(second)),
      (count) => count === 2 + total,
    );
  await pass(2_000);
  const names = ['one', 'two', 'three', 'four'];
  for (const name of names) await create(first, virtualClustersPath, { metadata: { name } });
  const useAll = async () => {
    for (const replica of [first, second])
      for (const name of names) expect(await replica.code(`${proxyPath(name)}/api/v1/namespaces/default`)).toBe(200);
  };
  await useAll();
  await until(2 * names.length);
  await pass(75_000);
  await until(names.length);
  await useAll();
});

describe('an instance that is used through another replica', () => {
  const uses = (name: string) => second.code(`${gatewayPath(name)}/api/v1/namespaces/default`);
  const stateOf = async (name: string) => {
    const { code, json } = await first.send(`${instances}/${name}`);
    return code === 200 ? textAt(json, 'status', 'phase') : String(code);
  };

  /** Waits for a phase while time passes in small steps. */
  async function until(name: string, phase: string): Promise<void> {
    for (let turn = 0; turn < 200; turn++) {
      if ((await stateOf(name)) === phase) return;
      await pass(100);
    }
    throw new Error(`the instance is not ${phase} but ${await stateOf(name)}`);
  }

  async function createReady(name: string, annotations: Record<string, string>): Promise<void> {
    await create(first, instances, { metadata: { name, annotations }, spec: {} });
    await until(name, 'Ready');
  }

  it('does not sleep and is not deleted while it is used', async () => {
    await createReady('busy', { [sleepAfterAnnotation]: '30', [deleteAfterAnnotation]: '45' });
    for (let turn = 0; turn < 15; turn++) {
      expect(await uses('busy')).toBe(200);
      await pass(1_000);
      clock.advance(9_000);
      await pass(100);
      expect(await stateOf('busy')).toBe('Ready');
    }
    const events = await first.send('/kubernetes/management/api/v1/namespaces/platform-p-default/events');
    expect(events.code).toBe(200);
    expect(events.text).not.toContain(sleepUnusedReason);
  });

  it('sleeps when nobody uses it, is woken by the other replica, and stays awake', async () => {
    await createReady('idle', { [sleepAfterAnnotation]: '60' });
    expect(await uses('idle')).toBe(200);
    clock.advance(61_000);
    await until('idle', 'Sleeping');
    expect(await uses('idle')).toBe(200);
    await until('idle', 'Ready');
    clock.advance(40_000);
    await pass(500);
    expect(await stateOf('idle')).toBe('Ready');
  });
});

it('guesses of a password at several replicas are counted together', async () => {
  await first.bench.createObject(first.server, 'users', 'anna', { username: 'anna' });
  const codes: number[] = [];
  for (let guess = 0; guess < 8; guess++) {
    const replica = guess % 2 === 0 ? first : second;
    const body = { username: 'anna', password: `guess-${guess}` };
    codes.push((await replica.send('/auth/password/login', { method: 'POST', token: '', body })).code);
  }
  expect(codes).toEqual([401, 401, 401, 401, 401, 401, 429, 429]);
});
