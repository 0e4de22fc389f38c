import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../../../api/meta.ts';
import { explainPlacement, placementEvents } from './pod-placement.ts';

const now = '2026-01-01T00:00:00Z';
const podWith = (spec: object, uid = '0123-4567-89ab-cdef-0123'): KubeObject => {
  const metadata = { name: 'p', namespace: 'n', uid, creationTimestamp: now };
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata, spec, status: {} } as unknown as KubeObject;
  explainPlacement(pod as never, now);
  return pod;
};

describe('the event of a pod that nothing runs', () => {
  it('names the pod and the reason', () => {
    const [event] = placementEvents(podWith({}));
    expect(event).toMatchObject({ namespace: 'n', name: 'p.0123456789abcdef' });
    expect(event?.object).toMatchObject({
      type: 'Warning',
      reason: 'FailedScheduling',
      involvedObject: { kind: 'Pod', name: 'p', namespace: 'n' },
      source: { component: 'built-in-host' },
    });
  });

  it('does not exist for a pod with a node or with scheduling gates', () => {
    expect(placementEvents(podWith({ nodeName: 'n' }))).toEqual([]);
    expect(placementEvents(podWith({ schedulingGates: [{ name: 'g' }] }))).toEqual([]);
  });

  it('is the same as long as the pod has no node, so that updates of the pod do not write it', () => {
    const pod = podWith({});
    const before = placementEvents(pod);
    explainPlacement(pod as never, '2027-01-01T00:00:00Z');
    expect(placementEvents(pod)).toEqual(before);
  });
});
