import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';
import { eventColumns } from './event.ts';
import {
  eventDescriptions as about,
  eventSeriesSchema,
  eventSourceSchema,
  objectReferenceSchema,
} from './event-schema.ts';

/** The kind Event of events.k8s.io/v1. It serves the same stored objects as core v1 events. */
export const eventsGroupEventKind: ResourceKind = {
  group: 'events.k8s.io',
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
      eventTime: t.optional(t.timestamp({ description: about.eventTime })),
      series: t.optional(eventSeriesSchema()),
      reportingController: t.optional(t.string({ description: about.controller })),
      reportingInstance: t.optional(t.string({ description: about.instance })),
      action: t.optional(t.string({ description: about.action })),
      reason: t.optional(t.string({ description: about.reason })),
      regarding: t.optional(objectReferenceSchema(about.subject)),
      related: t.optional(objectReferenceSchema(about.related)),
      note: t.optional(t.string({ description: about.text })),
      type: t.optional(t.string({ description: about.type })),
      deprecatedSource: t.optional(eventSourceSchema(about.source)),
      deprecatedFirstTimestamp: t.optional(t.timestamp({ description: about.firstTimestamp })),
      deprecatedLastTimestamp: t.optional(t.timestamp({ description: about.lastTimestamp })),
      deprecatedCount: t.optional(t.integer({ format: 'int32', description: about.count })),
    }),
  ),
  columns: eventColumns({
    subject: 'regarding',
    text: 'note',
    source: 'deprecatedSource',
    first: 'deprecatedFirstTimestamp',
    last: 'deprecatedLastTimestamp',
    count: 'deprecatedCount',
    controller: 'reportingController',
  }),
  selectableFields: [
    'regarding.kind',
    'regarding.namespace',
    'regarding.name',
    'regarding.uid',
    'regarding.apiVersion',
    'regarding.resourceVersion',
    'regarding.fieldPath',
    'reason',
    'reportingController',
    'type',
  ],
};
