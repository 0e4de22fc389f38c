import { expect, it } from 'vitest';
import { dayRing, slotAt } from '../../api/usage/usage-rings.ts';
import { ManualClock } from '../../lib/clock.ts';
import { openMemoryStore } from '../../store/memory.ts';
import { type RecordedInstance, UsageRecorder } from './usage-recorder.ts';

const instance = (planeId: string | undefined): RecordedInstance => ({
  uid: 'u1',
  cluster: 'local',
  namespace: 'n',
  name: 'demo',
  ownsNamespace: true,
  isRunning: true,
  planeId,
  projectUid: 'p1',
  clusterUid: 'c1',
});

it('the recorder remembers the size of a plane that was measured before its instance named it', async () => {
  const clock = new ManualClock();
  const recorder = new UsageRecorder({
    store: openMemoryStore({ clock }),
    clock,
    fence: undefined,
    measuresWork: true,
  });
  const interval = async (planeId: string | undefined, isMeasured: boolean) => {
    clock.advance(60_000);
    const planes = isMeasured ? [{ planeId: 'vc-1', workMs: 3, size: { objects: 7, bytes: 2048 } }] : [];
    await recorder.add({
      seconds: 60,
      contributions: [{ requests: new Map(), planes }],
      subjects: { instances: [instance(planeId)], projects: ['p1'], clusters: ['c1'] },
      hosts: new Map(),
    });
  };
  await interval(undefined, true);
  await interval('vc-1', false);
  const slots = await recorder.slotsOf(dayRing, 'instance/u1');
  expect(slots.get(slotAt(dayRing, clock.now() - 1))).toMatchObject({
    seconds: 120,
    sizeSeconds: 60,
    objectSeconds: 420,
    kibSeconds: 120,
  });
});
