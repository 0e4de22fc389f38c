import { objectReference } from './core-structs.ts';
import { alwaysPrinted, markOptional, markRequired, pointer, struct, value } from './go-struct.ts';
import { objectMeta } from './meta-structs.ts';

const core = 'io.k8s.api.core.v1';
const events = 'io.k8s.api.events.v1';

const eventSource = struct(`${core}.EventSource`, { component: value(1), host: value(2) });

const coreEventSeries = struct(`${core}.EventSeries`, {
  count: value(1, 'int32'),
  lastObservedTime: value(2, 'microTime'),
});

export const coreEvent = struct(`${core}.Event`, {
  metadata: markRequired(value(1, objectMeta)),
  involvedObject: markRequired(value(2, objectReference)),
  reason: value(3),
  message: value(4),
  source: value(5, eventSource),
  firstTimestamp: value(6, 'time'),
  lastTimestamp: value(7, 'time'),
  count: value(8, 'int32'),
  type: value(9),
  eventTime: value(10, 'microTime'),
  series: pointer(11, coreEventSeries),
  action: value(12),
  related: pointer(13, objectReference),
  reportingComponent: markOptional(alwaysPrinted(14)),
  reportingInstance: markOptional(alwaysPrinted(15)),
});

const groupEventSeries = struct(`${events}.EventSeries`, {
  count: alwaysPrinted(1, 'int32'),
  lastObservedTime: markRequired(value(2, 'microTime')),
});

export const eventsGroupEvent = struct(`${events}.Event`, {
  metadata: value(1, objectMeta),
  eventTime: markRequired(value(2, 'microTime')),
  series: pointer(3, groupEventSeries),
  reportingController: value(4),
  reportingInstance: value(5),
  action: value(6),
  reason: value(7),
  regarding: value(8, objectReference),
  related: pointer(9, objectReference),
  note: value(10),
  type: value(11),
  deprecatedSource: value(12, eventSource),
  deprecatedFirstTimestamp: value(13, 'time'),
  deprecatedLastTimestamp: value(14, 'time'),
  deprecatedCount: value(15, 'int32'),
});
