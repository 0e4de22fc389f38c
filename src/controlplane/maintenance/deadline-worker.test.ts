import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { yieldToEventLoop } from '../../lib/work-budget.ts';
import { deadlineKey, deadlineRange } from '../../registry/rows/rows.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { startMaintenance } from './maintenance.ts';

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function newTestEnv(onDeadline: (planeId: string, name: string) => Promise<void>) {
  const clock = new ManualClock();
  const store = openMemoryStore({ clock });
  const handled: string[] = [];
  const maintenance = startMaintenance({
    store,
    clock,
    log: silentLog,
    async runTask(planeId, task) {
      if (task.type !== 'deadline') return undefined;
      const { name } = task.object;
      await onDeadline(planeId, name);
      handled.push(`${planeId}/${name}`);
      return undefined;
    },
  });
  cleanups.push(async () => {
    await maintenance.stop();
    await store.close();
  });
  /** Writes a deadline for each name, one millisecond apart. */
  const write = async (planeId: string, names: readonly string[], seconds = 0) => {
    const first = clock.now() + seconds * 1000;
    const writes = names.map((name, index) => ({
      key: deadlineKey(first + index, planeId, { resource: 'pods', namespace: 'shop', name }),
      value: '',
      unlogged: true as const,
    }));
    await store.transact({ writes });
    maintenance.wake({ garbage: false, reconcile: false, deadline: first });
  };
  const left = async () => (await store.list(deadlineRange)).entries.length;
  /** Lets time pass until the condition is true. */
  const until = async (condition: () => boolean) => {
    for (let round = 0; round < 1_000 && !condition(); round++) {
      clock.advance(100);
      await yieldToEventLoop();
    }
    expect(condition()).toBe(true);
  };
  return { clock, handled, maintenance, write, left, until };
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `pod-${number}`);

describe('the deadlines of a control plane', () => {
  it('are handled while another plane with many deadlines is stuck', async () => {
    let release = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    const env = newTestEnv((planeId) => (planeId === 'a-stuck' ? stuck : Promise.resolve()));
    await env.write('a-stuck', numbered(1_200));
    await env.write('b', ['one']);
    await env.until(() => env.handled.includes('b/one'));
    expect(env.handled).toEqual(['b/one']);
    // A deadline that is added later is handled as well.
    await env.write('b', ['two'], 10);
    await env.until(() => env.handled.includes('b/two'));
    release();
    await env.until(() => env.handled.length === 1_202);
    await env.maintenance.idle();
    expect(await env.left()).toBe(0);
  });

  it('are handled one after the other, the earliest first', async () => {
    let running = 0;
    const env = newTestEnv(async () => {
      running++;
      await yieldToEventLoop();
      expect(running).toBe(1);
      running--;
    });
    await env.write('a', numbered(700));
    await env.until(() => env.handled.length === 700);
    expect(env.handled).toEqual(numbered(700).map((name) => `a/${name}`));
  });

  it('are not handled too early', async () => {
    const env = newTestEnv(async () => {});
    await env.write('a', ['one'], 60);
    await env.maintenance.idle();
    env.clock.advance(59_000);
    await env.maintenance.idle();
    expect(env.handled).toEqual([]);
    env.clock.advance(1_000);
    await env.maintenance.idle();
    expect(env.handled).toEqual(['a/one']);
  });

  it('are retried with backoff while those of other planes are handled', async () => {
    let failures = 0;
    const env = newTestEnv(async (planeId) => {
      if (planeId === 'a' && failures++ < 3) throw new Error('not now');
    });
    await env.write('a', ['one']);
    await env.write('b', ['one']);
    await env.until(() => env.handled.length === 2);
    expect([env.handled, failures]).toEqual([['b/one', 'a/one'], 4]);
    await env.maintenance.idle();
    expect(await env.left()).toBe(0);
  });
});
