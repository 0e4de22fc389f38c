import { expect, it } from 'vitest';
import { ManualClock } from '../../lib/clock.ts';
import { openTestStore } from '../../store/test-store.fixture.ts';
import { newActivityName } from '../activity/activity-rows.ts';
import { openWebhookQueue } from './webhook-queue-rows.ts';

it('queues return the oldest records first, and are found without reading each record', async () => {
  const store = openTestStore({ clock: new ManualClock() });
  const queue = openWebhookQueue({ store });
  const nonEmpty = async () => {
    const found: string[] = [];
    for await (const { namespace, name } of queue.nonEmpty()) found.push(`${namespace}/${name}`);
    return found;
  };
  const hook = (name: string) => ({
    apiVersion: 'v1',
    kind: 'ProjectWebhook',
    metadata: { namespace: 'p', name, uid: `uid-of-${name}` },
  });
  const names = [5_000, 5_000, 6_000, 1_700_000_000_000].map(newActivityName);
  for (const name of names.toReversed()) await store.transact({ writes: queue.writesOf(hook('a'), name) });
  await store.transact({ writes: queue.writesOf(hook('ab'), names[0] ?? '') });
  const oldest = await queue.oldest({ namespace: 'p', name: 'a' }, 3);
  expect(oldest.map(({ time }) => time)).toEqual([5_000, 5_000, 6_000]);
  expect(oldest[0]).toMatchObject({ webhookUid: 'uid-of-a' });
  expect(await nonEmpty()).toEqual(['p/a', 'p/ab']);
  await queue.remove({ namespace: 'p', name: 'a' }, await queue.oldest({ namespace: 'p', name: 'a' }, 10));
  expect(await nonEmpty()).toEqual(['p/ab']);
});
