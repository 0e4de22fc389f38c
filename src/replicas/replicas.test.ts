import { afterEach, beforeEach, expect, it } from 'vitest';
import { ManualClock } from '../lib/clock.ts';
import { silentLog } from '../lib/log.ts';
import { openMemoryStore } from '../store/memory.ts';
import { StoreError } from '../store/store-error.ts';
import { openReplicas } from './open-replicas.ts';
import { readReplicaRows, type TermRow, termKey } from './replica-rows.ts';
import { settle, type TestReplica, TestReplicas } from './replicas.fixture.ts';
import { allTerms, leaderTerm } from './shards.ts';
import { whileOwned } from './tenure.ts';

let env: TestReplicas;
beforeEach(() => {
  env = new TestReplicas();
});
afterEach(() => env.crashAll());

it('a store that is not shared gets no rows, and its server holds all terms immediately', async () => {
  const store = openMemoryStore();
  const details = () => ({ version: '1.0.0', schemas: [1, 1], address: '', settings: '' }) as const;
  const options = { id: 'a', details, store, clock: new ManualClock(), log: silentLog };
  const started: string[] = [];
  const stop = openReplicas(options).run((tenure) => {
    started.push(...allTerms.filter((term) => tenure.owns(term)));
    expect(tenure.fence).toBeUndefined();
    tenure.assertCurrent();
    return async () => void started.splice(0);
  });
  expect(started).toEqual(allTerms);
  await stop();
  expect(started).toEqual([]);
  expect((await readReplicaRows(store)).members.size).toBe(0);
});

it('the first replica takes all terms', async () => {
  const a = env.start('a');
  await env.until(() => allTerms.every((term) => a.owns(term)));
  const rows = await readReplicaRows(env.store);
  expect(rows.members.get('a')?.row).toMatchObject({ version: '1.0.0', schemas: [1, 1], address: 'https://a' });
  expect(rows.terms.size).toBe(allTerms.length);
});

it('a replica that beats keeps its terms and its fence', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const fence = a.tenure?.fence;
  env.start('b');
  await env.advance(60_000);
  expect(a.owns(leaderTerm)).toBe(true);
  expect(a.tenure?.fence).toEqual(fence);
  expect(a.tenures).toBe(1);
  expect((await readReplicaRows(env.store)).beats.get('a')?.row.beat).toBeGreaterThan(50);
});

it('a replica is notified of the shards that it prefers, and again when a replica joins or leaves', async () => {
  const seen: number[] = [];
  const a = env.start('a');
  a.replicas.followPreferredShards((shards) => seen.push(shards.length));
  await env.until(() => seen.length === 1);
  const b = env.start('b');
  await env.until(() => seen.length === 2);
  await env.advance(3_000);
  const shardsOf = new Map<TestReplica, readonly string[]>();
  for (const replica of [a, b]) replica.replicas.followPreferredShards((shards) => shardsOf.set(replica, shards));
  const [shardsOfA = [], shardsOfB = []] = [shardsOf.get(a), shardsOf.get(b)];
  expect([...shardsOfA, ...shardsOfB].sort()).toEqual(allTerms.filter((term) => term !== leaderTerm));
  expect(seen).toEqual([64, shardsOfA.length]);
  b.crash();
  await env.until(() => seen.length === 3);
  expect(seen[2]).toBe(64);
});

it('another replica takes over within five seconds after a crash', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const b = env.start('b');
  await env.advance(777);
  a.crash();
  expect(await env.until(() => allTerms.every((term) => b.owns(term)))).toBeLessThanOrEqual(5_000);
});

it('another replica takes over immediately after an orderly shutdown', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const b = env.start('b');
  await env.advance(1_000);
  await a.replicas.close();
  expect(a.tenure).toBeUndefined();
  expect(await env.until(() => b.owns(leaderTerm))).toBeLessThanOrEqual(600);
});

it('a replica that was paused writes nothing after the take-over', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const b = env.start('b');
  await env.advance(1_000);
  a.pause();
  const writing = a.work(leaderTerm);
  await env.until(() => b.owns(leaderTerm));
  expect(await b.work(leaderTerm)).toMatchObject({ replica: 'b' });
  // The request was waiting in a socket, and the paused replica still believes that it owns the term.
  expect(a.owns(leaderTerm)).toBe(true);
  a.resume();
  await expect(writing).rejects.toMatchObject({ code: 'CheckFailed' });
  await settle();
  expect((await env.store.get({ slice: 'work', segments: [leaderTerm] }))?.value).toBe('b');
  // The replica registers again and gets a new fence, but the other replica keeps the term.
  await env.until(() => a.tenure !== undefined);
  expect(a.owns(leaderTerm)).toBe(false);
  expect(a.tenures).toBe(2);
});

it('a failed fence ends the tenure before the next beat', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const first = a.tenure;
  await env.store.removePrefix({ slice: 'replicas', prefix: ['members'] });
  await expect(a.work(leaderTerm)).rejects.toMatchObject({ code: 'CheckFailed' });
  expect(first?.signal.aborted).toBe(true);
  expect(() => first?.assertCurrent()).toThrow('must not continue background work');
});

it('a replica stops three seconds after its last beat, and continues if it was not expelled', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  await env.advance(1_000);
  const { tenure } = a;
  a.outage = new StoreError('Unavailable', 'etcd cannot be reached');
  expect(await env.until(() => a.tenure === undefined)).toBeLessThanOrEqual(3_000);
  expect(tenure?.signal.aborted).toBe(true);
  expect(() => tenure?.assertCurrent()).toThrow('must not continue background work');
  a.outage = undefined;
  await env.until(() => a.owns(leaderTerm));
  expect(a.tenure?.fence).toEqual(tenure?.fence);
});

it('a paused replica makes no calls to other systems, even before its timers run', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const { tenure } = a;
  a.pause();
  await env.advance(3_500);
  expect(() => tenure?.assertCurrent()).toThrow('must not continue background work');
});

it('nobody is expelled because of an outage of the store', async () => {
  const [a, b] = [env.start('a'), env.start('b')];
  await env.until(() => a.tenure !== undefined && b.tenure !== undefined);
  await env.advance(1_000);
  const before = await readReplicaRows(env.store);
  for (const replica of [a, b]) replica.outage = new StoreError('Unavailable', 'etcd has no leader');
  await env.advance(30_000);
  for (const replica of [a, b]) replica.outage = undefined;
  await env.until(() => a.tenure !== undefined && b.tenure !== undefined);
  const after = await readReplicaRows(env.store);
  expect(after.members).toEqual(before.members);
});

it('a beat that arrives before the expulsion prevents it', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  env.start('b');
  const registered = (await readReplicaRows(env.store)).members.get('a')?.revision;
  for (let round = 0; round < 20; round++) {
    a.pause();
    await env.advance(2_900);
    a.resume();
    await env.advance(1_200);
  }
  expect((await readReplicaRows(env.store)).members.get('a')?.revision).toBe(registered);
  await env.until(() => a.owns(leaderTerm));
});

it('the shards are divided among the replicas after ten seconds, and the leader stays', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const [b, c] = [env.start('b'), env.start('c')];
  await env.advance(9_000);
  expect(allTerms.filter((term) => a.owns(term))).toEqual(allTerms);
  await env.advance(5_000);
  const owned = [a, b, c].map((replica) => allTerms.filter((term) => replica.owns(term)));
  expect(owned.flat().sort()).toEqual([...allTerms].sort());
  for (const terms of owned) expect(terms.length).toBeGreaterThan(10);
  expect(a.owns(leaderTerm)).toBe(true);
});

it('a term whose work is in progress is not handed over', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const busy = new Set<string>(allTerms);
  a.tenure?.addWork({ isBusy: (term) => busy.has(term) });
  const b = env.start('b');
  await env.advance(20_000);
  expect(allTerms.some((term) => b.owns(term))).toBe(false);
  busy.clear();
  await env.advance(2_000);
  expect(allTerms.some((term) => b.owns(term))).toBe(true);
});

it('a server with the ID of another one does no work', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const copy = env.start('a');
  await env.advance(20_000);
  expect(copy.tenure).toBeUndefined();
  expect(a.owns(leaderTerm)).toBe(true);
});

it('work for a term starts when the term is gained and stops with the tenure', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  const b = env.start('b');
  let running = 0;
  const stop = b.replicas.run((tenure) =>
    whileOwned(tenure, leaderTerm, () => {
      running += 1;
      return async () => {
        running -= 1;
      };
    }),
  );
  await env.advance(2_000);
  expect(running).toBe(0);
  a.crash();
  await env.until(() => b.owns(leaderTerm));
  expect(running).toBe(1);
  b.outage = new StoreError('Unavailable', 'etcd cannot be reached');
  await env.until(() => running === 0);
  b.outage = undefined;
  await env.until(() => running === 1);
  await stop();
  expect(running).toBe(0);
});

it('a replica gives up a term that the rows assign to another one', async () => {
  const a = env.start('a');
  await env.until(() => allTerms.every((term) => a.owns(term)));
  const b = env.start('b');
  await env.until(() => b.tenure !== undefined);
  const { members } = await readReplicaRows(env.store);
  const [term = ''] = allTerms;
  const row: TermRow = { holder: 'b', registration: members.get('b')?.row.registration ?? '' };
  await env.store.transact({ writes: [{ key: termKey(term), value: JSON.stringify(row) }] });
  await env.until(() => !a.owns(term) && b.owns(term));
});

it('background work pauses while the store is slow, and does not start and stop all the time', async () => {
  const a = env.start('a');
  await env.until(() => a.owns(leaderTerm));
  await env.advance(2_000);
  a.latency = () => 2_000;
  await env.advance(300_000);
  expect([a.tenures, a.tenure]).toEqual([1, undefined]);
  expect(a.messages.filter((message) => message.includes('stays paused'))).toHaveLength(1);
  // The replica is still registered, and continues as soon as the store is quick again.
  a.latency = () => 0;
  expect(await env.until(() => a.owns(leaderTerm))).toBeLessThanOrEqual(5_000);
  expect(a.tenures).toBe(2);
});

it('background work starts less and less often while the store is slow from time to time', async () => {
  const [a, b] = [env.start('a'), env.start('b')];
  await env.until(() => a.tenure !== undefined && b.tenure !== undefined);
  const { members } = await readReplicaRows(env.store);
  let calls = 0;
  for (const replica of [a, b]) replica.latency = () => [200, 2_900, 1_100, 1_800, 300][calls++ % 5] ?? 0;
  await env.advance(300_000);
  expect(a.tenures).toBeLessThan(12);
  expect(b.tenures).toBeLessThan(12);
  for (const replica of [a, b]) replica.latency = () => 0;
  await env.until(() => a.tenure !== undefined && b.tenure !== undefined);
  // No replica was expelled.
  expect((await readReplicaRows(env.store)).members).toEqual(members);
});
