import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { PodProblem } from './object-summaries.ts';
import { podProblem } from './pod-problem.ts';

const pod = (status: JsonValue) => ({ metadata: { name: 'one-0' }, status });

describe('the problem of a pod', () => {
  it('is undefined while the pod starts', () => {
    expect(podProblem(pod({}))).toBeUndefined();
    const waiting = { name: 'syncer', state: { waiting: { reason: 'ContainerCreating' } } };
    expect(podProblem(pod({ phase: 'Pending', containerStatuses: [waiting] }))).toBeUndefined();
    const restarted = {
      name: 'syncer',
      restartCount: 1,
      state: { running: {} },
      lastState: { terminated: { exitCode: 1 } },
    };
    expect(podProblem(pod({ containerStatuses: [restarted] }))).toBeUndefined();
  });

  it('is a container that keeps crashing, with its last message', () => {
    const container = {
      name: 'syncer',
      restartCount: 7,
      state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' } },
      lastState: { terminated: { exitCode: 2, reason: 'Error', message: 'cannot open\n  the store' } },
    };
    expect(podProblem(pod({ containerStatuses: [container] }))).toEqual({
      reason: 'CrashLoopBackOff',
      message:
        'The container syncer of the pod one-0 keeps crashing (7 restarts, last with exit code 2, cannot open the store). See its log for details.',
      isPermanent: true,
    } satisfies PodProblem);
  });

  it('is an image that cannot be pulled, also of an init container', () => {
    const container = {
      name: 'kubernetes',
      state: { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${'x'.repeat(1_000)}"` } },
    };
    const found = podProblem(pod({ phase: 'Pending', initContainerStatuses: [container] }));
    expect(found).toMatchObject({ reason: 'ImagePullBackOff', isPermanent: true } satisfies Partial<PodProblem>);
    expect(found?.message).toContain('container kubernetes');
    expect(found?.message.length).toBeLessThan(400);
  });

  it('is temporary if no node fits the pod', () => {
    const condition = {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 nodes are available',
    };
    expect(podProblem(pod({ phase: 'Pending', conditions: [condition] }))).toEqual({
      reason: 'Unschedulable',
      message: 'The pod one-0 cannot be scheduled: 0/3 nodes are available',
      isPermanent: false,
    } satisfies PodProblem);
  });

  it('is the eviction of the pod', () => {
    const found = podProblem(pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }));
    expect(found).toMatchObject({ reason: 'Evicted', isPermanent: true } satisfies Partial<PodProblem>);
    expect(found?.message).toContain('low on memory');
  });
});
