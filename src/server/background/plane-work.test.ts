import { type JsonObject, listAt, textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { readReplicaRows } from '../../replicas/replica-rows.ts';
import { allTerms } from '../../replicas/shards.ts';
import { proxyPath, virtualClustersPath } from '../built-in-cluster.fixture.ts';
import { ReplicasTestEnv, type ServerReplica } from '../replicas.fixture.ts';

const api = proxyPath('one');
let clock: ManualClock;
let env: ReplicasTestEnv;
beforeEach(async () => {
  clock = new ManualClock();
  env = await ReplicasTestEnv.open(clock);
  await until(async () => (await readReplicaRows(env.shared)).terms.size === allTerms.length);
  await create(env.first, virtualClustersPath, { metadata: { name: 'one' } });
});
afterEach(() => env.close());

/** Advances the clock in small steps until the condition is true. Returns the passed time in milliseconds. */
async function until(condition: () => Promise<boolean>): Promise<number> {
  for (let passed = 0; passed <= 60_000; passed += 100) {
    if (await condition()) return passed;
    clock.advance(100);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('the condition is not true after a minute');
}

async function create(replica: ServerReplica, path: string, body: JsonObject): Promise<void> {
  const { code, text } = await replica.send(path, { method: 'POST', body });
  expect(code, text).toBe(201);
}

const definition = (plural: string, kind: string): JsonObject => ({
  metadata: { name: `${plural}.sea.example` },
  spec: {
    group: 'sea.example',
    scope: 'Namespaced',
    names: { plural, kind },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
});

it('the work inside a virtual cluster is done soon, whichever server caused it', async () => {
  for (const [index, replica] of [env.first, env.second].entries()) {
    const name = `team-${index}`;
    await create(replica, `${api}/api/v1/namespaces`, { metadata: { name } });
    const account = `${api}/api/v1/namespaces/${name}/serviceaccounts/default`;
    expect(await until(async () => (await replica.code(account)) === 200)).toBeLessThanOrEqual(1_000);
    const labels = { 'rbac.authorization.k8s.io/aggregate-to-view': 'true' };
    const rules = [{ verbs: ['get'], apiGroups: ['sea.example'], resources: [name] }];
    const roles = `${api}/apis/rbac.authorization.k8s.io/v1/clusterroles`;
    await create(replica, roles, { metadata: { name, labels }, rules });
    const isAggregated = async () => (await replica.send(`${roles}/admin`)).text.includes(`"${name}"`);
    expect(await until(isAggregated)).toBeLessThanOrEqual(1_000);
  }
});

it('a kind that one server has defined is used and removed at the other one, without leaving objects', async () => {
  const { first, second } = env;
  const definitions = `${api}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`;
  await create(first, definitions, definition('ships', 'Ship'));
  const ships = `${api}/apis/sea.example/v1/namespaces/default/ships`;
  await create(second, ships, { apiVersion: 'sea.example/v1', kind: 'Ship', metadata: { name: 'one' } });
  await create(second, definitions, definition('boats', 'Ship'));
  const boats = await first.send(`${definitions}/boats.sea.example`);
  expect(textAt(listAt(boats.json, 'status', 'conditions')[0], 'status')).toBe('False');
  expect((await second.send(`${definitions}/ships.sea.example`, { method: 'DELETE' })).code).toBe(200);
  await until(async () => (await first.code(`${definitions}/ships.sea.example`)) === 404);
  const late = { apiVersion: 'sea.example/v1', kind: 'Ship', metadata: { name: 'late' } };
  expect((await first.send(ships, { method: 'POST', body: late })).code).toBe(404);
  // The definition that waited for the name gets it.
  const isEstablished = async () => (await first.code(`${api}/apis/sea.example/v1/namespaces/default/boats`)) === 200;
  await until(isEstablished);
  expect(listAt((await second.send(`${api}/apis/sea.example/v1/namespaces/default/boats`)).json, 'items')).toEqual([]);
});
