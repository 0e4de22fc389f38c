import {
  equalJson,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  listAt,
  objectAt,
  textAt,
  textsAt,
  valueAt,
} from '@flotilla/json';
import { byteLength, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, forbiddenField, invalid, required, tooLong } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import { choiceErrors, immutableErrors, requiredQualifiedNameErrors } from './field-rules.ts';
import { deprecatedNodeLabels } from './node-labels.ts';

const maxParameterBytes = 256 * 1024;
const maxParameters = 512;

function parameterErrors(parameters: JsonObject, mayBeEmpty: boolean): FieldError[] {
  const path = 'parameters';
  const entries = Object.entries(parameters);
  if (entries.length > maxParameters) return [tooLong(path, maxParameters)];
  const size = entries.reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(String(value)), 0);
  return [
    ...(Object.hasOwn(parameters, '') ? [invalid(path, '', 'field can not be empty.')] : []),
    ...(size > maxParameterBytes ? [tooLong(path, maxParameterBytes)] : []),
    ...(mayBeEmpty || entries.length > 0 ? [] : [required(path, 'must contain at least one key/value pair')]),
  ];
}

function* topologyErrors(terms: readonly JsonValue[]): Generator<FieldError> {
  const counts = new Map<string, number>();
  // Kubernetes compares each term with all previous terms, and also with N empty terms if the list has N terms.
  counts.set('[]', terms.length);
  for (const [index, term] of terms.entries()) {
    const path = `${indexPath('allowedTopologies', index)}.matchLabelExpressions`;
    const values = new Map<string, string[]>();
    for (const [at, expression] of listAt(term, 'matchLabelExpressions').entries()) {
      const key = textAt(expression, 'key');
      yield* expressionErrors(expression, indexPath(path, at));
      if (values.has(key)) yield duplicate(`${indexPath(path, at)}.key`, key);
      values.set(key, [...new Set(textsAt(expression, 'values'))].sort());
    }
    const comparable = JSON.stringify([...values].sort());
    const count = counts.get(comparable) ?? 0;
    for (let found = 0; found < count; found++) yield duplicate(path, '');
    counts.set(comparable, count + 1);
  }
}

function expressionErrors(expression: JsonValue, path: string): FieldError[] {
  const values = textsAt(expression, 'values');
  const key = textAt(expression, 'key');
  const known = new Set<string>();
  const repeated = values.flatMap((value, index) => {
    if (known.has(value)) return [duplicate(indexPath(`${path}.values`, index), value)];
    known.add(value);
    return [];
  });
  return [
    ...(values.length === 0 ? [required(`${path}.values`)] : []),
    ...repeated,
    ...qualifiedNameFaults(key).map((fault) => invalid(`${path}.key`, key, fault)),
  ];
}

export function* storageClassErrors(object: KubeObject): Generator<FieldError> {
  const storageClass = object as JsonValue;
  const reclaimPolicy = valueAt(storageClass, 'reclaimPolicy');
  yield* requiredQualifiedNameErrors('provisioner', textAt(storageClass, 'provisioner'));
  yield* parameterErrors(objectAt(storageClass, 'parameters') ?? {}, true);
  if (reclaimPolicy !== '') yield* choiceErrors('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']);
  const mode = valueAt(storageClass, 'volumeBindingMode');
  yield* choiceErrors('volumeBindingMode', mode, ['Immediate', 'WaitForFirstConsumer']);
  yield* topologyErrors(listAt(storageClass, 'allowedTopologies'));
}

const immutableMembers = ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'];

export function storageClassUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return immutableMembers.flatMap((name) =>
    immutableErrors(name, valueAt(object as JsonValue, name), valueAt(old as JsonValue, name)),
  );
}

export function storageClassWarnings(object: KubeObject): string[] {
  return listAt(object as JsonValue, 'allowedTopologies').flatMap((term, index) =>
    listAt(term, 'matchLabelExpressions').flatMap((expression, at) => {
      const message = deprecatedNodeLabels.get(textAt(expression, 'key'));
      const path = indexPath(`${indexPath('allowedTopologies', index)}.matchLabelExpressions`, at);
      return message === undefined ? [] : [`${path}.key: ${message}`];
    }),
  );
}

export function attributesClassErrors(object: KubeObject): FieldError[] {
  const parameters = valueAt(object as JsonValue, 'parameters');
  return [
    ...requiredQualifiedNameErrors('driverName', textAt(object as JsonValue, 'driverName')),
    ...parameterErrors(isJsonObject(parameters) ? parameters : {}, false),
  ];
}

export function attributesClassUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const isSame = (name: string) => equalJson(valueAt(object as JsonValue, name), valueAt(old as JsonValue, name));
  return [
    ...['driverName', 'parameters']
      .filter((name) => !isSame(name))
      .map((name) => forbiddenField(name, `updates to ${name} are forbidden.`)),
    ...attributesClassErrors(object),
  ];
}
