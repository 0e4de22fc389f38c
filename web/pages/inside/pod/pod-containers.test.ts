import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../src/api/meta.ts';
import { podContainers, unscheduledReason } from './pod-containers.ts';

const pod = (members: object, annotations = {}) =>
  ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', annotations }, ...members }) as KubeObject;

describe('the containers of a pod', () => {
  it('have their state, init containers after the others', () => {
    const containers = podContainers(
      pod({
        spec: {
          initContainers: [{ name: 'setup' }],
          containers: [{ name: 'app' }, { name: 'proxy' }],
          ephemeralContainers: [{ name: 'debug' }],
        },
        status: {
          initContainerStatuses: [{ name: 'setup', state: { terminated: { reason: 'Completed' } } }],
          containerStatuses: [
            { name: 'app', ready: true, restartCount: 2, state: { running: {} } },
            { name: 'proxy', ready: false, restartCount: 0, state: { waiting: { reason: 'CrashLoopBackOff' } } },
          ],
        },
      }),
    );
    expect(containers).toEqual([
      { name: 'app', isInit: false, isRunning: true, hasPrevious: true, state: 'Running' },
      { name: 'proxy', isInit: false, isRunning: false, hasPrevious: false, state: 'CrashLoopBackOff' },
      { name: 'setup', isInit: true, isRunning: false, hasPrevious: false, state: 'Completed' },
      { name: 'debug', isInit: false, isRunning: false, hasPrevious: false, state: 'Waiting' },
    ]);
  });

  it('begin with the default container that the pod names', () => {
    const spec = { containers: [{ name: 'proxy' }, { name: 'app' }] };
    const named = { 'kubectl.kubernetes.io/default-container': 'app' };
    expect(podContainers(pod({ spec }, named)).map(({ name }) => name)).toEqual(['app', 'proxy']);
    expect(podContainers(pod({})).length).toBe(0);
  });
});

it('a pod without a node says why', () => {
  const conditions = [{ type: 'PodScheduled', status: 'False', message: 'nothing runs pods here' }];
  expect(unscheduledReason(pod({ spec: {}, status: { conditions } }))).toBe('nothing runs pods here');
  expect(unscheduledReason(pod({}))).toMatch(/not been assigned/);
  expect(unscheduledReason(pod({ spec: { nodeName: 'one' } }))).toBeUndefined();
});
