import { expect, it } from 'vitest';
import { eventKind } from '../../api/core/event.ts';
import type { KubeObject } from '../../api/meta.ts';
import { projectNamespace } from '../../api/naming.ts';
import { inProcessClient } from '../../builtin/in-process-client.ts';
import { silentLog } from '../../lib/log.ts';
import { openManagementTestEnv } from '../../management/management.fixture.ts';
import { createEventRecorder } from './event-recorder.ts';

const namespace = projectNamespace('default');
const about = (name: string, uid: string, within = namespace): KubeObject => ({
  apiVersion: 'a/v1',
  kind: 'A',
  metadata: { name, namespace: within, uid },
});

async function setUp() {
  const { plane, clock } = await openManagementTestEnv();
  const events = inProcessClient(plane.kinds, 'test').resource(eventKind);
  const open = () => createEventRecorder({ events, component: 'tester', clock, log: silentLog });
  return { clock, open, all: async () => (await events.list({ namespace })).items };
}

it('the recorder writes events, and increments the count of repeated ones, also after a restart', async () => {
  const { clock, open, all } = await setUp();
  const first = open();
  first.record(about('one', 'u1'), 'Normal', 'Ready', 'it is');
  first.record(about('one', 'u1'), 'Normal', 'Ready', 'it is');
  first.record(about('one', 'u2'), 'Normal', 'Ready', 'it is');
  await first.flush();
  const second = open();
  clock.advance(5_000);
  second.record(about('one', 'u1'), 'Normal', 'Ready', 'it is');
  await second.flush();
  const items = await all();
  expect(items.map(({ involvedObject, count }) => [(involvedObject as { uid: string }).uid, count]).sort()).toEqual([
    ['u1', 3],
    ['u2', 1],
  ]);
  const again = items.find(({ count }) => count === 3);
  expect(Date.parse(String(again?.lastTimestamp)) - Date.parse(String(again?.firstTimestamp))).toBe(5_000);
  expect(again).toMatchObject({ type: 'Normal', reason: 'Ready', message: 'it is', source: { component: 'tester' } });
});

it('events of one series are one event with the newest message', async () => {
  const { open, all } = await setUp();
  const recorder = open();
  const crash = (restarts: number) =>
    recorder.recordSeries(about('one', 'u1'), {
      type: 'Warning',
      reason: 'CrashLoopBackOff',
      message: `${restarts} restarts`,
      series: 'CrashLoopBackOff',
    });
  crash(1);
  crash(2);
  await recorder.flush();
  crash(3);
  await recorder.flush();
  expect(await all()).toMatchObject([{ type: 'Warning', reason: 'CrashLoopBackOff', message: '3 restarts', count: 3 }]);
  await recorder.stop();
});

it('the recorder truncates messages to the limit of Kubernetes, and ignores deleted projects', async () => {
  const { open, all } = await setUp();
  const recorder = open();
  recorder.record(about('one', 'u1'), 'Warning', 'Long', 'x'.repeat(5_000));
  recorder.record(about('one', 'u1', projectNamespace('gone')), 'Warning', 'Late', 'too late');
  await recorder.flush();
  expect((await all()).map(({ message }) => String(message).length)).toEqual([1024]);
  await recorder.stop();
  recorder.record(about('one', 'u1'), 'Warning', 'After', 'the end');
  await recorder.flush();
  expect(await all()).toHaveLength(1);
});
