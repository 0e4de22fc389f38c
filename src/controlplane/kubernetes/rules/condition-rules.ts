import { type JsonValue, numberAt, textAt } from '@flotilla/json';
import { byteLength, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, invalid, notSupported, required, tooLong } from '../../../api/field-error.ts';
import { indexPath } from '../../../api/schema/field-path.ts';

const statuses = ['False', 'True', 'Unknown'];
const maxReasonBytes = 1024;
const maxMessageBytes = 32 * 1024;
const reasonPattern = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** Returns the errors of a list of `metav1.Condition`, worded as in Kubernetes. */
export function conditionErrors(conditions: readonly JsonValue[], path: string): FieldError[] {
  const types = new Set<string>();
  return conditions.flatMap((condition, index) => {
    const type = textAt(condition, 'type');
    const at = indexPath(path, index);
    const repeated = types.has(type) ? [duplicate(`${at}.type`, type)] : [];
    types.add(type);
    return [...repeated, ...errorsOf(condition, at)];
  });
}

function errorsOf(condition: JsonValue, path: string): FieldError[] {
  const type = textAt(condition, 'type');
  const status = textAt(condition, 'status');
  const observed = numberAt(condition, 'observedGeneration') ?? 0;
  return [
    ...qualifiedNameFaults(type).map((fault) => invalid(`${path}.type`, type, fault)),
    ...(statuses.includes(status) ? [] : [notSupported(`${path}.status`, status, statuses)]),
    ...(observed < 0 ? [invalid(`${path}.observedGeneration`, observed, 'must be greater than or equal to zero')] : []),
    ...(textAt(condition, 'lastTransitionTime') === '' ? [required(`${path}.lastTransitionTime`)] : []),
    ...reasonErrors(textAt(condition, 'reason'), `${path}.reason`),
    ...(byteLength(textAt(condition, 'message')) > maxMessageBytes
      ? [tooLong(`${path}.message`, maxMessageBytes)]
      : []),
  ];
}

function reasonErrors(reason: string, path: string): FieldError[] {
  if (reason === '') return [required(path)];
  const detail =
    "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')";
  return [
    ...(reasonPattern.test(reason) ? [] : [invalid(path, reason, detail)]),
    ...(byteLength(reason) > maxReasonBytes ? [tooLong(path, maxReasonBytes)] : []),
  ];
}
