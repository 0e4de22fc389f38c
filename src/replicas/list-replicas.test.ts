import { afterEach, expect, it } from 'vitest';
import { openMemoryStore } from '../store/memory.ts';
import { listReplicas } from './list-replicas.ts';
import { beatKey } from './replica-rows.ts';
import { TestReplicas } from './replicas.fixture.ts';
import { allTerms } from './shards.ts';

let env: TestReplicas;
afterEach(() => env.crashAll());

it('the list contains all replicas with one leader, and all shards divided among them', async () => {
  env = new TestReplicas();
  for (const id of ['b', 'a', 'c']) env.start(id);
  await env.advance(30_000);
  const { items: list, schema } = await listReplicas(env.store, 'b', env.clock);
  expect(schema).toBe(1);
  expect(list.map(({ name, isThis }) => [name, isThis])).toEqual([
    ['a', false],
    ['b', true],
    ['c', false],
  ]);
  expect(list.filter(({ isLeader }) => isLeader)).toHaveLength(1);
  expect(list.reduce((sum, { shards }) => sum + shards, 0)).toBe(allTerms.length - 1);
  for (const { version, address, clockSkewSeconds, hasSameSettings, name } of list) {
    expect([version, address, clockSkewSeconds, hasSameSettings]).toEqual(['1.0.0', `https://${name}`, 0, true]);
  }
});

it('the list reports a clock that differs, and no replica of a store that is not shared', async () => {
  env = new TestReplicas();
  env.start('a');
  await env.advance(2_000);
  const beat = await env.store.get(beatKey('a'));
  const row = JSON.parse(beat?.value ?? '{}');
  const setTime = async (time: number) => {
    await env.store.transact({ writes: [{ key: beatKey('a'), value: JSON.stringify({ ...row, time }) }] });
    return (await listReplicas(env.store, 'a', env.clock)).items[0]?.clockSkewSeconds;
  };
  expect(await setTime(env.clock.now() + 20_000)).toBe(20);
  expect(await setTime(env.clock.now() - 21_500)).toBe(-20);
  expect(await setTime(env.clock.now() - 1_000)).toBe(0);
  expect((await listReplicas(openMemoryStore(), 'a', env.clock)).items).toEqual([]);
});

it('the list reports which replicas prevent the use of a newer schema', async () => {
  env = new TestReplicas();
  env.start('new', [1, 2]);
  env.start('old', [1, 1]);
  await env.advance(5_000);
  const { items, schema } = await listReplicas(env.store, 'new', env.clock);
  expect(schema).toBe(1);
  expect(items.map(({ name, schemas, isOutdated }) => [name, schemas, isOutdated])).toEqual([
    ['new', [1, 2], false],
    ['old', [1, 1], true],
  ]);
});
