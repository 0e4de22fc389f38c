import { t } from '../schema/schema-builder.ts';

/**
 * The schema of a reference to an object. Both event versions use it. Its members are in the order of the Go struct.
 */
export function objectReferenceSchema(description: string) {
  return t.object(
    {
      kind: t.optional(t.string({ description: 'The kind of the object.' })),
      namespace: t.optional(t.string({ description: 'The namespace of the object.' })),
      name: t.optional(t.string({ description: 'The name of the object.' })),
      uid: t.optional(t.string({ description: 'The uid of the object.' })),
      apiVersion: t.optional(t.string({ description: 'The API version of the object.' })),
      resourceVersion: t.optional(t.string({ description: 'The resource version of the object.' })),
      fieldPath: t.optional(
        t.string({ description: 'The path of the affected field, if the event is not about the whole object.' }),
      ),
    },
    { description, atomic: true },
  );
}

export function eventSourceSchema(description: string) {
  return t.object(
    {
      component: t.optional(t.string({ description: 'The component that reports the event.' })),
      host: t.optional(t.string({ description: 'The host that the component runs on.' })),
    },
    { description },
  );
}

export function eventSeriesSchema() {
  return t.object(
    {
      count: t.optional(
        t.integer({ format: 'int32', description: 'The number of occurrences of the event up to lastObservedTime.' }),
      ),
      lastObservedTime: t.optional(t.timestamp({ description: 'The time of the last occurrence.' })),
    },
    { description: 'Set if the event represents a series of identical events.' },
  );
}

export const eventDescriptions = {
  eventTime: 'The time of the first observation, in microseconds.',
  action: 'The action that was taken or that failed.',
  reason: 'The machine-readable reason for the event.',
  text: 'A human-readable description.',
  type: 'Normal or Warning. Other types may be added.',
  controller: 'The name of the reporting controller.',
  instance: 'The instance of the reporting controller.',
  subject: 'The object that the event is about.',
  related: 'A second object that is involved.',
  source: 'The component that reports the event.',
  firstTimestamp: 'The time of the first record.',
  lastTimestamp: 'The time of the last record.',
  count: 'The number of occurrences.',
} as const;
