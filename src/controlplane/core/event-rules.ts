import { equalJson, type JsonValue, numberAt, textAt, valueAt } from '@flotilla/json';
import { qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { toStoredForm } from '../../api/structs/printed-form.ts';

const maxFieldBytes = 128;
const maxMessageBytes = 1024;

/**
 * The name of the field that contains the reporting controller. It is `reportingComponent` in core/v1 and
 * `reportingController` in events.k8s.io/v1.
 */
export type ReporterField = 'reportingComponent' | 'reportingController';

/** Returns the errors of a core/v1 event. Events of events.k8s.io/v1 are converted to core/v1 first. */
export function eventErrors(event: KubeObject, reporter: ReporterField): readonly FieldError[] {
  return textAt(event as JsonValue, 'eventTime') === '' ? oldStyleErrors(event) : newStyleErrors(event, reporter);
}

function oldStyleErrors(event: KubeObject): FieldError[] {
  const namespace = event.metadata.namespace ?? '';
  const about = textAt(event as JsonValue, 'involvedObject', 'namespace');
  const agrees = about === '' ? namespace === '' || namespace === 'default' : namespace === about;
  return agrees ? [] : [namespaceMismatch(about)];
}

function newStyleErrors(event: KubeObject, reporter: ReporterField): FieldError[] {
  const errors: FieldError[] = [];
  const about = textAt(event as JsonValue, 'involvedObject', 'namespace');
  if (about === '' && !['default', 'kube-system'].includes(event.metadata.namespace ?? '')) {
    errors.push(namespaceMismatch(about));
  }
  const controller = textAt(event as JsonValue, 'reportingComponent');
  if (controller === '') errors.push(required(reporter));
  errors.push(...qualifiedNameFaults(controller).map((fault) => invalid(reporter, controller, fault)));
  for (const field of ['reportingInstance', 'action', 'reason']) {
    const value = textAt(event as JsonValue, field);
    if (value === '') errors.push(required(field));
    else if (byteLength(value) > maxFieldBytes) {
      errors.push(invalid(field, '', `can have at most ${maxFieldBytes} characters`));
    }
  }
  if (byteLength(textAt(event as JsonValue, 'message')) > maxMessageBytes) {
    errors.push(invalid('message', '', `can have at most ${maxMessageBytes} characters`));
  }
  return errors;
}

/**
 * Returns the errors of a new event by the rules of events.k8s.io/v1. The caller has already converted the event to
 * core/v1.
 */
export function newEventErrors(event: KubeObject): readonly FieldError[] {
  const { name = '' } = event.metadata;
  const errors = [
    ...eventErrors(event, 'reportingController'),
    ...(name === '' ? [] : subdomainFaults(name).map((fault) => invalid('metadata.name', name, fault))),
    ...seriesErrors(event),
  ];
  if (textAt(event as JsonValue, 'eventTime') === '') errors.push(required('eventTime'));
  const type = textAt(event as JsonValue, 'type');
  if (type !== 'Normal' && type !== 'Warning') errors.push(invalid('type', '', `has invalid value: ${type}`));
  for (const field of ['firstTimestamp', 'lastTimestamp'] as const) {
    if (textAt(event as JsonValue, field) !== '') errors.push(invalid(field, '', 'needs to be unset'));
  }
  if ((numberAt(event as JsonValue, 'count') ?? 0) !== 0) errors.push(invalid('count', '', 'needs to be unset'));
  if (['component', 'host'].some((part) => textAt(event as JsonValue, 'source', part) !== '')) {
    errors.push(invalid('source', '', 'needs to be unset'));
  }
  return errors;
}

const fixedFields = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

/** Returns the errors of an updated event by the rules of events.k8s.io/v1, where only `series` may change. */
export function changedEventErrors(sent: KubeObject, old: KubeObject): readonly FieldError[] {
  const event = toStoredForm(sent);
  const errors = [...eventErrors(event, 'reportingController')];
  if (!equalJson(series(event), series(old))) errors.push(...seriesErrors(event));
  for (const field of fixedFields) {
    const now = valueAt(event as JsonValue, field);
    if (equalJson(now ?? null, valueAt(old as JsonValue, field) ?? null)) continue;
    const shown = field === 'reportingComponent' ? 'reportingController' : field;
    errors.push(invalid(shown, now, 'field is immutable'));
  }
  return errors;
}

function series(event: KubeObject): JsonValue | undefined {
  return valueAt(event as JsonValue, 'series');
}

function seriesErrors(event: KubeObject): FieldError[] {
  if (series(event) === undefined) return [];
  const errors: FieldError[] = [];
  if ((numberAt(event as JsonValue, 'series', 'count') ?? 0) < 2) {
    errors.push(invalid('series.count', '', 'should be at least 2'));
  }
  if (textAt(event as JsonValue, 'series', 'lastObservedTime') === '') errors.push(required('series.lastObservedTime'));
  return errors;
}

function namespaceMismatch(namespace: string): FieldError {
  return invalid('involvedObject.namespace', namespace, 'does not match event.namespace');
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
