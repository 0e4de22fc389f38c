import { numberAt, textAt } from '@flotilla/json';
import type { Row } from '../rows/table-rows.ts';

/** An event about an object, read from either event API (core/v1 or events.k8s.io). */
export interface ObjectEvent {
  readonly key: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly source: string;
  /** The number of times that the event occurred. */
  readonly count: number;
  readonly last: string;
}

/** Reads the events from list rows and sorts them by time, newest first. */
export function readEvents(rows: readonly Row[]): readonly ObjectEvent[] {
  const events = rows.map(({ key, object, metadata }): ObjectEvent => {
    const first = textAt(object, 'firstTimestamp') || textAt(object, 'eventTime') || (metadata.creationTimestamp ?? '');
    return {
      key,
      isWarning: textAt(object, 'type') === 'Warning',
      reason: textAt(object, 'reason'),
      message: textAt(object, 'message'),
      source: textAt(object, 'source', 'component') || textAt(object, 'reportingComponent'),
      count: numberAt(object, 'series', 'count') ?? numberAt(object, 'count') ?? 1,
      last: textAt(object, 'series', 'lastObservedTime') || textAt(object, 'lastTimestamp') || first,
    };
  });
  return events.sort((a, b) => (Date.parse(b.last) || 0) - (Date.parse(a.last) || 0));
}
