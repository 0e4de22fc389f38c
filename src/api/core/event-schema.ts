import { t } from '../schema/build.ts';

/** Schemas shared by both versions of an event. Members are in the order of the Go structs. */
export function objectReference(description: string) {
  return t.object(
    {
      kind: t.optional(t.string({ description: 'The kind of the object.' })),
      namespace: t.optional(t.string({ description: 'The namespace of the object.' })),
      name: t.optional(t.string({ description: 'The name of the object.' })),
      uid: t.optional(t.string({ description: 'The uid of the object.' })),
      apiVersion: t.optional(t.string({ description: 'The API version in which the object was seen.' })),
      resourceVersion: t.optional(t.string({ description: 'The version of the object that was seen.' })),
      fieldPath: t.optional(
        t.string({ description: 'The part of the object that is meant, where it is not the whole.' }),
      ),
    },
    { description, atomic: true },
  );
}

export function eventSource(description: string) {
  return t.object(
    {
      component: t.optional(t.string({ description: 'The part of the system that reports.' })),
      host: t.optional(t.string({ description: 'The machine on which it runs.' })),
    },
    { description },
  );
}

export function eventSeries() {
  return t.object(
    {
      count: t.optional(t.integer({ format: 'int32', description: 'How often it happened up to the last time.' })),
      lastObservedTime: t.optional(t.timestamp({ description: 'When it happened last.' })),
    },
    { description: 'Present when the event stands for a series of the same.' },
  );
}

export const eventDescriptions = {
  eventTime: 'When it was first observed, to the microsecond.',
  action: 'What was done, or failed, about the object.',
  reason: 'A word for programs: why it happened.',
  text: 'A sentence for people about what happened.',
  type: 'Normal or Warning; other types may come.',
  controller: 'The name of the controller that reports.',
  instance: 'Which instance of the controller reports.',
  subject: 'The object that the event is about.',
  related: 'A second object that has to do with it.',
  source: 'Who reports.',
  firstTimestamp: 'When it was first recorded.',
  lastTimestamp: 'When it was last recorded.',
  count: 'How often it happened.',
} as const;
