import { type JsonObject, numberAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/bad-days/eventually.ts';
import { gatewayPath, instances } from '../gateway.fixture.ts';
import { ReplicasTestEnv, type ServerReplica } from '../replicas.fixture.ts';

const patience = 60;
const list = `${gatewayPath('demo')}/api/v1/namespaces/default/configmaps`;

let at: ReplicasTestEnv;
beforeEach(async () => {
  at = await ReplicasTestEnv.open(undefined, (bench) => bench.settings({ usage: { sampleSeconds: 1 } }));
  const made = await at.first.send(instances, { method: 'POST', body: { metadata: { name: 'demo' } } });
  expect(made.code, made.text).toBe(201);
}, 60_000);
afterEach(() => at.close());

const usageOf = async (replica: ServerReplica): Promise<JsonObject> =>
  (await replica.send(`${instances}/demo/usage`)).json;

/** Returns the largest amount that any replica reports. Only the leader knows the usage that is not stored yet. */
async function seen(member: string): Promise<number> {
  const both = await Promise.all([at.first, at.second].map(usageOf));
  return Math.max(...both.map((usage) => numberAt(usage, 'total', member) ?? 0));
}

const answers = (replica: ServerReplica) =>
  eventually(
    patience,
    () => replica.code(list),
    (code) => code === 200,
  );

it('the usage adds up the requests at all replicas, each of them once', async () => {
  const { first, second } = at;
  for (const replica of [first, second]) await answers(replica);
  const since = await eventually(
    patience,
    () => seen('requests'),
    (requests) => requests >= 2,
  );
  for (let count = 0; count < 5; count++) {
    expect(await first.code(list)).toBe(200);
    expect(await second.code(list)).toBe(200);
  }
  const total = await eventually(
    patience,
    () => seen('requests'),
    (requests) => requests >= since + 10,
  );
  // Further intervals do not count these requests again.
  const seconds = await seen('seconds');
  await eventually(
    patience,
    () => seen('seconds'),
    (observed) => observed >= seconds + 3,
  );
  expect(await seen('requests')).toBe(total);
  expect(total).toBeLessThanOrEqual(since + 12);
  expect(await seen('objects')).toBeGreaterThan(5);
}, 120_000);

it('the recording of usage continues at another replica after the leader has stopped', async () => {
  const { first, second } = at;
  await answers(second);
  await eventually(
    patience,
    () => seen('requests'),
    (requests) => requests > 0,
  );
  await first.bench.stop(first.server);
  const before = numberAt(await usageOf(second), 'total', 'requests') ?? 0;
  expect(await second.code(list)).toBe(200);
  const usage = await eventually(
    patience,
    () => usageOf(second),
    (current) => (numberAt(current, 'total', 'requests') ?? 0) > before,
  );
  expect(numberAt(usage, 'total', 'running')).toBeGreaterThan(0);
}, 120_000);
