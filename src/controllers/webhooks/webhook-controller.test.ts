import { afterEach, describe, expect, it } from 'vitest';
import { projectWebhookKind } from '../../api/management/v1/notifications/project-webhook.ts';
import { projectNamespace } from '../../api/naming.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import { silentLog } from '../../lib/log.ts';
import { openManagementTestEnv, writeOptions } from '../../management/management.fixture.ts';
import type { RunningController } from '../runtime/controller.ts';
import type { Attempt, PendingRecord, WebhookName } from './delivery.ts';
import { maxRecordAgeMs, startWebhookController } from './webhook-controller.ts';

const running: RunningController[] = [];
afterEach(async () => {
  for (const controller of running.splice(0)) await controller.stop();
});

const namespace = projectNamespace('red');
const failed: Attempt = { delivered: false, code: 500, message: 'the receiver responded with 500' };
const delivered: Attempt = { delivered: true, code: 204, message: 'the receiver responded with 204' };

/** A controller over the management API, with queues in memory. */
async function openDelivery() {
  const env = await openManagementTestEnv();
  const { plane, clock, create, admin, verbs } = env;
  await create('projects', 'red', {});
  const context = { ...admin('red'), namespace };
  const queues = new Map<string, PendingRecord[]>();
  const removed = new Set<string>();
  const attempts: { name: string; record: string; time: number }[] = [];
  const state = { answer: failed, dropped: 0 };
  const webhooks = inProcessClient(plane.kinds, 'flotilla').resource(projectWebhookKind);
  const keyOf = ({ namespace: inside, name }: WebhookName) => `${inside}/${name}`;
  /** The number of the controller's writes that have not reached the store yet. */
  let writes = 0;
  const observed: typeof webhooks = {
    ...webhooks,
    async patchStatus(...call) {
      writes++;
      return await webhooks.patchStatus(...call).finally(() => writes--);
    },
  };
  const start = () => {
    const controller = startWebhookController({
      webhooks: observed,
      clock,
      log: silentLog,
      queue: {
        oldest: async (name, limit) => (queues.get(keyOf(name)) ?? []).slice(0, limit),
        record: async (_namespace, { position }) =>
          removed.has(position)
            ? undefined
            : { apiVersion: 'v1', kind: 'ActivityRecord', metadata: { name: position } },
        async remove(name, pending) {
          const left = (queues.get(keyOf(name)) ?? []).filter((each) => !pending.includes(each));
          queues.set(keyOf(name), left);
        },
        async *nonEmpty() {
          for (const [key, pending] of queues) {
            const [inside = '', name = ''] = key.split('/');
            if (pending.length > 0) yield { namespace: inside, name };
          }
        },
      },
      async deliver({ metadata: { name = '' } }, record) {
        attempts.push({ name, record: record.metadata.name ?? '', time: clock.now() });
        return state.answer;
      },
      onDropped(records) {
        state.dropped += records;
      },
    });
    running.push(controller);
    return controller;
  };
  const createHook = async (name: string) => {
    const object = {
      apiVersion: 'management.platform.sh/v1',
      kind: projectWebhookKind.kind,
      metadata: { name },
      spec: { url: 'https://receiver.example/' },
    };
    return await verbs('projectwebhooks').create(context, object, writeOptions);
  };
  const read = (name: string) => webhooks.get({ namespace, name });
  const enqueue = async (name: string, position: string, uid?: string) => {
    const webhookUid = uid ?? (await read(name)).metadata.uid ?? '';
    const key = keyOf({ namespace, name });
    queues.set(key, [...(queues.get(key) ?? []), { position, time: clock.now(), webhookUid }]);
  };
  /**
   * Advances the clock in steps of a second until the condition is true. Does not advance the clock during the time
   * that the controller waits for the store.
   */
  const until = async (isReached: () => boolean | Promise<boolean>) => {
    const step = async () => {
      for (let turn = 0; turn < 10; turn++) {
        if (await isReached()) return true;
        await new Promise((resolve) => setImmediate(resolve));
      }
      if (writes === 0) clock.advance(1_000);
      return false;
    };
    await expect.poll(step, { timeout: 20_000, interval: 1 }).toBe(true);
  };
  return { clock, start, createHook, read, enqueue, until, attempts, removed, state, queues };
}

describe('the controller of webhooks', () => {
  it('waits longer after each failure, and keeps the order', async () => {
    const env = await openDelivery();
    await env.createHook('one');
    await env.enqueue('one', 'first');
    await env.enqueue('one', 'second');
    env.start();
    await env.until(() => env.attempts.length === 4);
    expect(env.attempts.every(({ record }) => record === 'first')).toBe(true);
    const times = env.attempts.map(({ time }) => time);
    const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(2_500 * 2 ** index);
      expect(wait).toBeLessThanOrEqual(5_000 * 2 ** index + 2_000);
    }
    expect((await env.read('one')).status).toMatchObject({ failures: expect.any(Number), lastDeliveryCode: 500 });
    env.state.answer = delivered;
    await env.until(() => env.attempts.length === 6);
    expect(env.attempts.slice(4).map(({ record }) => record)).toEqual(['first', 'second']);
    await env.until(async () => (await env.read('one')).status?.failures === undefined);
  });

  it('continues to wait after a restart', async () => {
    const env = await openDelivery();
    await env.createHook('one');
    await env.enqueue('one', 'first');
    const controller = env.start();
    await env.until(async () => ((await env.read('one')).status?.failures ?? 0) === 3);
    await controller.stop();
    const { nextAttemptTime = '' } = (await env.read('one')).status ?? {};
    const before = env.attempts.length;
    env.start();
    await env.until(() => env.attempts.length > before);
    expect(env.clock.now()).toBeGreaterThanOrEqual(Date.parse(nextAttemptTime));
  });

  it('gives up records that are older than a day when an attempt fails, and says so', async () => {
    const env = await openDelivery();
    await env.createHook('one');
    for (const position of ['a', 'b', 'c']) await env.enqueue('one', position);
    env.clock.advance(maxRecordAgeMs + 1_000);
    await env.enqueue('one', 'new');
    env.start();
    await env.until(async () => (await env.read('one')).status?.droppedRecords !== undefined);
    expect(env.attempts.map(({ record }) => record)).toEqual(['a']);
    expect((await env.read('one')).status).toMatchObject({
      droppedRecords: 3,
      lastDropMessage: 'gave up 3 records after a day of failed attempts',
    });
    env.state.answer = delivered;
    await env.until(() => env.attempts.length === 2);
    expect(env.attempts[1]?.record).toBe('new');
  });

  it('reports records that were evicted before they could be sent', async () => {
    const env = await openDelivery();
    env.state.answer = delivered;
    await env.createHook('one');
    for (const position of ['a', 'b', 'c']) await env.enqueue('one', position);
    env.removed.add('a').add('b');
    env.start();
    await env.until(async () => (await env.read('one')).status?.droppedRecords === 2);
    await env.until(() => env.attempts.length === 1);
    expect(env.attempts[0]?.record).toBe('c');
    expect((await env.read('one')).status?.lastDropMessage).toBe(
      'dropped 2 records because they were removed from the activity log before delivery',
    );
    await env.until(() => env.state.dropped === 2);
  });

  it('removes the queues of webhooks that no longer exist, and sends nothing of an earlier webhook', async () => {
    const env = await openDelivery();
    env.state.answer = delivered;
    await env.createHook('one');
    await env.enqueue('one', 'old', 'another-uid');
    await env.enqueue('one', 'own');
    await env.enqueue('gone', 'old', 'another-uid');
    env.start();
    await env.until(() => [...env.queues.values()].every(({ length }) => length === 0));
    expect(env.attempts.map(({ record }) => record)).toEqual(['own']);
  });
});
