import type { JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../meta.ts';
import type { ResourceKind } from '../resource.ts';
import { eventKind } from './event.ts';
import { convertEvent } from './event-conversion.ts';
import { eventsGroupEventKind } from './events-k8s-io.ts';
import { leaseKind } from './lease.ts';
import { namespaceKind } from './namespace.ts';

function row(kind: ResourceKind, object: KubeObject): Record<string, JsonValue | undefined> {
  return Object.fromEntries((kind.columns ?? []).map((column) => [column.name, column.value(object, 0)]));
}

const event = {
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: 'e', namespace: 'n' },
  involvedObject: { kind: 'Ship', name: 'pinta' },
  reason: 'Sailed',
  message: ' it sailed\n',
  lastTimestamp: '2026-01-01T00:00:01Z',
  type: 'Normal',
  reportingComponent: 'harbour',
} as KubeObject;

describe('the standard columns', () => {
  it('of namespaces are Status and Age (TABLE-04)', () => {
    const namespace = {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'n' },
      status: { phase: 'Active' },
    } as KubeObject;
    expect(row(namespaceKind, namespace)).toMatchObject({ Status: 'Active' });
    const going = { ...namespace, metadata: { name: 'n', deletionTimestamp: '2026-01-01T00:00:00Z' } } as KubeObject;
    expect(row(namespaceKind, going)).toMatchObject({ Status: 'Terminating' });
  });

  it('of events are the same in both versions (KUBECTL-32)', () => {
    const shown = {
      'Last Seen': '2026-01-01T00:00:01Z',
      Type: 'Normal',
      Reason: 'Sailed',
      Object: 'ship/pinta',
      Message: 'it sailed',
      Source: 'harbour',
      Count: 1,
    };
    expect(row(eventKind, event)).toMatchObject(shown);
    expect(row(eventsGroupEventKind, convertEvent(event))).toMatchObject(shown);
    const narrow = (eventKind.columns ?? []).filter(({ priority }) => priority === 0).map(({ name }) => name);
    expect(narrow).toEqual(['Last Seen', 'Type', 'Reason', 'Object', 'Message']);
  });

  it('of leases are Holder and Age (TABLE-04)', () => {
    expect(leaseKind.columns?.map(({ name }) => name)).toEqual(['Holder', 'Age']);
    const lease = (spec: JsonValue) =>
      ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' }, spec }) as KubeObject;
    expect(row(leaseKind, lease({ holderIdentity: 'one' }))).toMatchObject({ Holder: 'one' });
    expect(row(leaseKind, lease({}))).toMatchObject({ Holder: '' });
  });

  it('of events count a series instead of a single event', () => {
    const series = { ...event, series: { count: 5, lastObservedTime: '2026-01-02T00:00:00.000000Z' } } as KubeObject;
    expect(row(eventKind, series)).toMatchObject({ Count: 5, 'Last Seen': '2026-01-02T00:00:00.000000Z' });
  });
});
