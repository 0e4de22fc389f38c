import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CommittedWork, type TestReplica, TestReplicas } from './replicas.fixture.ts';
import { allTerms } from './shards.ts';

const ids = ['a', 'b', 'c'] as const;
const watchedTerms = allTerms.slice(0, 6);

const step = fc.record({
  replica: fc.constantFrom(...ids),
  action: fc.constantFrom('pause', 'resume', 'crash', 'start', 'stop', 'none'),
  milliseconds: fc.integer({ min: 0, max: 6_000 }),
});

it('a fenced write succeeds only while its replica holds the term, whatever pauses and crashes', async () => {
  let successes = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      const env = new TestReplicas();
      const running = new Map<string, TestReplica>(ids.map((id) => [id, env.start(id)]));
      const committed: CommittedWork[] = [];
      const work = (replica: TestReplica) => {
        for (const term of watchedTerms) {
          replica.work(term).then(
            (done) => void (done && committed.push(done)),
            () => {},
          );
        }
      };
      for (const { replica: id, action, milliseconds } of steps) {
        const replica = running.get(id);
        // Requests that are in progress when the replica is paused arrive at the store after it is resumed.
        if (action === 'pause') {
          replica?.pause();
          if (replica !== undefined) work(replica);
        }
        if (action === 'resume') replica?.resume();
        if (action === 'crash') {
          replica?.crash();
          running.delete(id);
        }
        if (action === 'stop') void replica?.replicas.close();
        if (action === 'start' && replica === undefined) running.set(id, env.start(id));
        for (let passed = 0; passed < milliseconds; passed += 500) {
          for (const each of running.values()) work(each);
          await env.advance(Math.min(500, milliseconds - passed));
        }
      }
      for (const { holder, replica, registration } of committed) {
        expect(holder).toEqual({ holder: replica, registration });
      }
      successes += committed.length;
      env.crashAll();
    }),
    { numRuns: 40 },
  );
  expect(successes).toBeGreaterThan(1_000);
}, 60_000);

it('the work continues after any sequence of crashes', async () => {
  const env = new TestReplicas();
  const committed: CommittedWork[] = [];
  let leader = env.start('replica-0');
  await env.until(() => leader.owns('leader'));
  for (let crash = 1; crash <= 5; crash++) {
    const next = env.start(`replica-${crash}`);
    await env.advance(1_000);
    leader.crash();
    await env.until(() => next.owns('leader'));
    const done = await next.work('leader');
    if (done !== undefined) committed.push(done);
    leader = next;
  }
  expect(committed.map(({ replica }) => replica)).toEqual([1, 2, 3, 4, 5].map((n) => `replica-${n}`));
  env.crashAll();
});
