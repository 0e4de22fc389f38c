import { type JsonValue, numberAt, textAt, valueAt } from '@flotilla/json';
import { column } from '../columns.ts';
import type { KubeObject } from '../meta.ts';
import type { Column, ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import {
  eventDescriptions as about,
  eventSeriesSchema,
  eventSourceSchema,
  objectReferenceSchema,
} from './event-schema.ts';

/** The kind Event of core v1. The store contains events in this version. */
export const eventKind: ResourceKind = {
  group: '',
  version: 'v1',
  kind: 'Event',
  plural: 'events',
  singular: 'event',
  shortNames: ['ev'],
  namespaced: true,
  builtIn: true,
  description: 'A report of something that happened to an object. Events are kept for an hour.',
  schema: asSchema(
    t.object({
      involvedObject: t.optional(objectReferenceSchema(about.subject)),
      reason: t.optional(t.string({ description: about.reason })),
      message: t.optional(t.string({ description: about.text })),
      source: t.optional(eventSourceSchema(about.source)),
      firstTimestamp: t.optional(t.timestamp({ description: about.firstTimestamp })),
      lastTimestamp: t.optional(t.timestamp({ description: about.lastTimestamp })),
      count: t.optional(t.integer({ format: 'int32', description: about.count })),
      type: t.optional(t.string({ description: about.type })),
      eventTime: t.optional(t.timestamp({ description: about.eventTime })),
      series: t.optional(eventSeriesSchema()),
      action: t.optional(t.string({ description: about.action })),
      related: t.optional(objectReferenceSchema(about.related)),
      reportingComponent: t.optional(t.string({ description: about.controller })),
      reportingInstance: t.optional(t.string({ description: about.instance })),
    }),
  ),
  columns: eventColumns({
    subject: 'involvedObject',
    text: 'message',
    source: 'source',
    first: 'firstTimestamp',
    last: 'lastTimestamp',
    count: 'count',
    controller: 'reportingComponent',
  }),
  selectableFields: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.apiVersion',
    'involvedObject.resourceVersion',
    'involvedObject.fieldPath',
    'reason',
    'reportingComponent',
    'source',
    'type',
  ],
};

/** The names of the members that the columns display and that differ between the two event versions. */
interface EventNames {
  readonly subject: string;
  readonly text: string;
  readonly source: string;
  readonly first: string;
  readonly last: string;
  readonly count: string;
  readonly controller: string;
}

/** Returns the columns of `kubectl get events`. Scripts rely on their order and names. */
export function eventColumns(names: EventNames): readonly Column[] {
  const read = (object: KubeObject, ...path: string[]) => valueAt(object as JsonValue, ...path);
  const text = (object: KubeObject, ...path: string[]) => textAt(object as JsonValue, ...path);
  const lastSeen = (object: KubeObject) =>
    read(object, 'series', 'lastObservedTime') ?? read(object, names.last) ?? firstSeen(object);
  const firstSeen = (object: KubeObject) => read(object, names.first) ?? read(object, 'eventTime');
  const source = (object: KubeObject) => {
    const component = text(object, names.source, 'component') || text(object, names.controller);
    const host = text(object, names.source, 'host') || text(object, 'reportingInstance');
    return [component, host].filter((part) => part !== '').join(', ');
  };
  const subject = (object: KubeObject) => {
    const kind = text(object, names.subject, 'kind').toLowerCase();
    const name = text(object, names.subject, 'name');
    return name === '' ? kind : `${kind}/${name}`;
  };
  return [
    column('Last Seen', lastSeen, { type: 'date', description: about.lastTimestamp }),
    column('Type', 'type', { description: about.type }),
    column('Reason', 'reason', { description: about.reason }),
    column('Object', subject, { description: about.subject }),
    column('Subobject', (object) => text(object, names.subject, 'fieldPath'), {
      description: 'The path of the field that the event is about.',
      wide: true,
    }),
    column('Source', source, { description: about.source, wide: true }),
    column('Message', (object) => text(object, names.text).trim(), { description: about.text }),
    column('First Seen', firstSeen, { type: 'date', description: about.firstTimestamp, wide: true }),
    column(
      'Count',
      (object) => numberAt(object as JsonValue, 'series', 'count') ?? numberAt(object as JsonValue, names.count) ?? 1,
      { type: 'integer', description: about.count, wide: true },
    ),
    { ...column('Name', 'metadata.name', { description: 'The name of the event.', wide: true }), format: 'name' },
  ];
}
