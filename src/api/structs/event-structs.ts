import { objectReference } from './core-structs.ts';
import { alwaysPrintedField, defineStruct, markOptional, markRequired, pointerField, valueField } from './go-struct.ts';
import { objectMeta } from './meta-structs.ts';

const core = 'io.k8s.api.core.v1';
const events = 'io.k8s.api.events.v1';

const eventSource = defineStruct(`${core}.EventSource`, { component: valueField(1), host: valueField(2) });

const coreEventSeries = defineStruct(`${core}.EventSeries`, {
  count: valueField(1, 'int32'),
  lastObservedTime: valueField(2, 'microTime'),
});

export const coreEvent = defineStruct(`${core}.Event`, {
  metadata: markRequired(valueField(1, objectMeta)),
  involvedObject: markRequired(valueField(2, objectReference)),
  reason: valueField(3),
  message: valueField(4),
  source: valueField(5, eventSource),
  firstTimestamp: valueField(6, 'time'),
  lastTimestamp: valueField(7, 'time'),
  count: valueField(8, 'int32'),
  type: valueField(9),
  eventTime: valueField(10, 'microTime'),
  series: pointerField(11, coreEventSeries),
  action: valueField(12),
  related: pointerField(13, objectReference),
  reportingComponent: markOptional(alwaysPrintedField(14)),
  reportingInstance: markOptional(alwaysPrintedField(15)),
});

const groupEventSeries = defineStruct(`${events}.EventSeries`, {
  count: alwaysPrintedField(1, 'int32'),
  lastObservedTime: markRequired(valueField(2, 'microTime')),
});

export const eventsGroupEvent = defineStruct(`${events}.Event`, {
  metadata: valueField(1, objectMeta),
  eventTime: markRequired(valueField(2, 'microTime')),
  series: pointerField(3, groupEventSeries),
  reportingController: valueField(4),
  reportingInstance: valueField(5),
  action: valueField(6),
  reason: valueField(7),
  regarding: valueField(8, objectReference),
  related: pointerField(9, objectReference),
  note: valueField(10),
  type: valueField(11),
  deprecatedSource: valueField(12, eventSource),
  deprecatedFirstTimestamp: valueField(13, 'time'),
  deprecatedLastTimestamp: valueField(14, 'time'),
  deprecatedCount: valueField(15, 'int32'),
});
