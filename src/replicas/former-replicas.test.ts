import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FormerRow, formerKey, readReplicaRows } from './replica-rows.ts';
import { TestReplicas } from './replicas.fixture.ts';
import { leaderTerm } from './shards.ts';

const day = 24 * 60 * 60_000;

let env: TestReplicas;
beforeEach(() => {
  env = new TestReplicas();
});
afterEach(() => env.crashAll());

async function former(): Promise<Record<string, FormerRow>> {
  const { former: rows } = await readReplicaRows(env.store);
  return Object.fromEntries([...rows].map(([id, { row }]) => [id, row]));
}

it('the store remembers a replica that has shut down, until it returns', async () => {
  env.start('a');
  const b = env.start('b');
  await env.advance(2_000);
  expect(await former()).toEqual({});
  const leftAt = env.clock.now();
  await b.replicas.close();
  expect(await former()).toEqual({ b: { leftAt, isExpelled: false } });
  env.start('b');
  await env.advance(2_000);
  expect(await former()).toEqual({});
});

it('the store remembers a replica that was expelled', async () => {
  const a = env.start('a');
  const b = env.start('b');
  await env.advance(2_000);
  b.crash();
  await env.advance(6_000);
  const { members, former: left } = await a.replicas.peers();
  expect(members).toEqual([{ id: 'a', peerAddress: 'a:1' }]);
  expect(left).toMatchObject([{ id: 'b', isExpelled: true }]);
});

it('the store forgets replicas after a month, and the oldest of more than a hundred', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const now = env.clock.now();
  const remember = (id: string, leftAt: number) =>
    env.store.transact({ writes: [{ key: formerKey(id), value: JSON.stringify({ leftAt, isExpelled: false }) }] });
  await remember('month', now - 30 * day - 1);
  await remember('week', now - 7 * day);
  await env.advance(1_000);
  expect(Object.keys(await former())).toEqual(['week']);
  for (let index = 0; index < 104; index++) await remember(`r${index}`, now - index);
  await env.advance(2_000);
  const left = await former();
  expect(Object.keys(left)).toHaveLength(100);
  expect(left).not.toHaveProperty('week');
  expect(left).toHaveProperty('r99');
});
