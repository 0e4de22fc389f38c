import { deepFreeze, type JsonObject } from '@flotilla/json';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../meta.ts';
import { eventKind } from './event.ts';
import { convertEvent, convertEventField, convertEventPatch } from './event-conversion.ts';
import { eventsGroupEventKind } from './events-k8s-io.ts';

const core = deepFreeze({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {
    name: 'e',
    namespace: 'n',
    managedFields: [
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'v1',
        fieldsType: 'FieldsV1',
        fieldsV1: { 'f:involvedObject': { 'f:name': {} }, 'f:reason': {} },
      },
    ],
  },
  involvedObject: { kind: 'Ship', name: 'x' },
  reason: 'Sailed',
  message: 'it sailed',
  source: { component: 'c' },
  firstTimestamp: '2026-01-01T00:00:00Z',
  lastTimestamp: '2026-01-01T00:00:01Z',
  count: 2,
  type: 'Normal',
  eventTime: '2026-01-01T00:00:00.000001Z',
  reportingComponent: 'rc',
  reportingInstance: 'ri',
} as KubeObject);

describe('a converted event', () => {
  it('has converted names of top-level members and owned fields (CLIENT-14)', () => {
    expect(convertEvent(core)).toEqual({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: 'e',
        namespace: 'n',
        managedFields: [
          {
            manager: 'm',
            operation: 'Update',
            apiVersion: 'events.k8s.io/v1',
            fieldsType: 'FieldsV1',
            fieldsV1: { 'f:regarding': { 'f:name': {} }, 'f:reason': {} },
          },
        ],
      },
      regarding: { kind: 'Ship', name: 'x' },
      reason: 'Sailed',
      note: 'it sailed',
      deprecatedSource: { component: 'c' },
      deprecatedFirstTimestamp: '2026-01-01T00:00:00Z',
      deprecatedLastTimestamp: '2026-01-01T00:00:01Z',
      deprecatedCount: 2,
      type: 'Normal',
      eventTime: '2026-01-01T00:00:00.000001Z',
      reportingController: 'rc',
      reportingInstance: 'ri',
    });
  });

  it('is unchanged after a conversion in both directions', () => {
    const names = [
      ...Object.keys(eventKind.schema.properties ?? {}),
      ...Object.keys(eventsGroupEventKind.schema.properties ?? {}),
    ];
    const members = fc.dictionary(fc.constantFrom(...names, '__proto__', 'odd'), fc.jsonValue());
    fc.assert(
      fc.property(members, (extra) => {
        const event = {
          ...(extra as JsonObject),
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name: 'e' },
        } as KubeObject;
        expect(convertEvent(convertEvent(event))).toEqual(event);
      }),
    );
  });

  it('covers every member of both kinds', () => {
    const core = Object.keys(eventKind.schema.properties ?? {}).map(convertEventField);
    expect(core.sort()).toEqual(Object.keys(eventsGroupEventKind.schema.properties ?? {}).sort());
  });

  it('is selected by the fields of its version (SEL-07)', () => {
    const inCore = eventsGroupEventKind.selectableFields?.map(convertEventField) ?? [];
    expect(inCore).toContain('involvedObject.name');
    for (const field of inCore) expect(eventKind.selectableFields).toContain(field);
  });

  it('is patched by pointers into its version (PATCH-06)', () => {
    expect(
      convertEventPatch([
        { op: 'replace', path: '/note', value: 'x' },
        { op: 'test', path: '/apiVersion', value: 'events.k8s.io/v1' },
        { op: 'copy', from: '/regarding/name', path: '/metadata/labels/note' },
        'nonsense',
      ]),
    ).toEqual([
      { op: 'replace', path: '/message', value: 'x' },
      { op: 'test', path: '/apiVersion', value: 'v1' },
      { op: 'copy', from: '/involvedObject/name', path: '/metadata/labels/note' },
      'nonsense',
    ]);
  });
});
