import { type JsonObject, textAt } from '@flotilla/json';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { readReplicaRows } from '../../replicas/replica-rows.ts';
import { allTerms, leaderTerm } from '../../replicas/shards.ts';
import { instancesOf } from '../instances.fixture.ts';
import { ReplicasTestEnv, type ServerReplica } from '../replicas.fixture.ts';

let clock: ManualClock;
let env: ReplicasTestEnv;
beforeEach(async () => {
  clock = new ManualClock();
  env = await ReplicasTestEnv.open(clock);
  await until(async () => (await readReplicaRows(env.shared)).terms.size === allTerms.length);
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

/** Returns the number of terms that each replica holds, by replica ID. */
async function holders(): Promise<Map<string, number>> {
  const { members, terms } = await readReplicaRows(env.shared);
  const counts = new Map([...members.keys()].map((id) => [id, 0]));
  for (const { row } of terms.values()) counts.set(row.holder, (counts.get(row.holder) ?? 0) + 1);
  return counts;
}

async function holderOf(term: string): Promise<string> {
  return (await readReplicaRows(env.shared)).terms.get(term)?.row.holder ?? '';
}

async function createInstance(replica: ServerReplica, name: string): Promise<void> {
  const body: JsonObject = { metadata: { name }, spec: { template: {}, clusterRef: { cluster: 'local' } } };
  const { code, text } = await replica.send(instancesOf('default'), { method: 'POST', body });
  expect(code, text).toBe(201);
}

async function phaseOf(replica: ServerReplica, name: string): Promise<string> {
  const { code, json } = await replica.send(`${instancesOf('default')}/${name}`);
  return code === 404 ? 'Gone' : textAt(json, 'status', 'phase');
}

it('servers that share a store divide the work, and any of them can be asked for it', async () => {
  const { first, second } = env;
  await until(async () => [...(await holders()).values()].every((count) => count > 10));
  const names = Array.from({ length: 6 }, (_, index) => `instance-${index}`);
  for (const [index, name] of names.entries()) await createInstance(index % 2 === 0 ? first : second, name);
  for (const name of names) await until(async () => (await phaseOf(second, name)) === 'Ready');
  for (const name of names) {
    const { code } = await first.send(`${instancesOf('default')}/${name}`, { method: 'DELETE' });
    expect(code).toBe(200);
  }
  for (const name of names) await until(async () => (await phaseOf(second, name)) === 'Gone');
  // Waits until maintenance has removed the planes of the virtual clusters.
  const slices = async () => {
    const found: string[] = [];
    for await (const row of env.shared.dump())
      if (row.row === 'slice' && row.slice.startsWith('vc-')) found.push(row.slice);
    return found;
  };
  await until(async () => (await slices()).length === 0);
});

it('the other server continues the work within five seconds after one is cut off from the store', async () => {
  const { first, second } = env;
  await until(async () => [...(await holders()).values()].every((count) => count > 10));
  const leader = await holderOf(leaderTerm);
  const before = await readReplicaRows(env.shared);
  const isFirst = before.members.get(leader)?.row.address === first.server.url;
  const [lost, rest] = isFirst ? [first, second] : [second, first];
  lost.gate.disconnect();
  const passed = await until(async () => {
    const counts = await holders();
    return counts.size === 1 && !counts.has(leader) && [...counts.values()][0] === allTerms.length;
  });
  expect(passed).toBeLessThanOrEqual(5_000);
  await createInstance(rest, 'later');
  await until(async () => (await phaseOf(rest, 'later')) === 'Ready');
  lost.gate.reconnect();
  // The replica registers again, without the terms that it held before.
  await until(async () => (await holders()).size === 2);
  expect(await holderOf(leaderTerm)).not.toBe('');
  expect((await readReplicaRows(env.shared)).members.get(leader)?.revision).not.toBe(
    before.members.get(leader)?.revision,
  );
  await until(async () => (await phaseOf(lost, 'later')) === 'Ready');
});

it('a server that shuts down hands its work over at once', async () => {
  const { first, second } = env;
  await first.bench.stop(first.server);
  const { members } = await readReplicaRows(env.shared);
  const [remaining = ''] = members.keys();
  expect([...members.values()].map(({ row }) => row.address)).toEqual([second.server.url]);
  const passed = await until(async () => (await holders()).get(remaining) === allTerms.length);
  expect(passed).toBeLessThanOrEqual(1_000);
  await createInstance(second, 'one');
  await until(async () => (await phaseOf(second, 'one')) === 'Ready');
});
