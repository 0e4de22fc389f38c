import { isJsonObject, type JsonObject } from '@flotilla/json';
import { eventKind } from '../../api/core/event.ts';
import { type Draft, defineResource, type StoredRecord, type StoredResource } from '../../registry/resource.ts';
import { eventErrors } from './event-rules.ts';
import { normalizeMicroTimes } from './micro-times.ts';

/** The time after its last write at which an event is deleted: one hour, as in Kubernetes. */
const lifetimeMilliseconds = 3_600_000;

/** The kind Event. Events are stored as core/v1. */
export const storedEvents: StoredResource = defineResource({
  ...eventKind,
  hasStatus: false,
  nameRule: 'path-segment',
  unconditionalUpdate: true,
  createOnUpdate: true,
  prepare: normalizeTimes,
  validate: (draft) => eventErrors(draft.object, 'reportingComponent'),
  expiresAt: (record) => lastWritten(record) + lifetimeMilliseconds,
});

function normalizeTimes({ object }: Draft): void {
  normalizeMicroTimes(eventKind, object as JsonObject, ['eventTime']);
  if (isJsonObject(object.series)) normalizeMicroTimes(eventKind, object.series, ['lastObservedTime']);
}

/** Returns the time of an event's last write. Ignores the timestamps that clients set in the event itself. */
function lastWritten({ object }: StoredRecord): number {
  const times = [
    object.metadata.creationTimestamp,
    ...(object.metadata.managedFields ?? []).map((entry) => entry.time),
  ].flatMap((time) => (time === undefined ? [] : [Date.parse(time)]));
  return Math.max(0, ...times.filter((time) => !Number.isNaN(time)));
}
