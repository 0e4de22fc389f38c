import { equalJson, flagAt, type JsonObject, type JsonValue, objectAt } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { configMapKind } from '../../api/core/config-map.ts';
import { base64ByteLength } from '../../api/decode/base64.ts';
import { type FieldError, forbiddenField, invalid, tooLong } from '../../api/field-error.ts';
import { keyPath } from '../../api/schema/field-path.ts';
import { type Draft, defineResource, type StoredResource } from '../../registry/resource.ts';
import { dataKeyErrors, maxDataBytes } from './data-keys.ts';
import { dropEmpty } from './drop-empty.ts';

export const storedConfigMaps: StoredResource = defineResource({
  ...configMapKind,
  hasStatus: false,
  unconditionalUpdate: true,
  prepare: ({ object }) => dropEmpty(object as JsonObject, ['data', 'binaryData']),
  validate: (draft) => [...changeErrors(draft), ...dataErrors(draft.object as JsonObject)],
});

function dataErrors(object: JsonObject): FieldError[] {
  const data = objectAt(object, 'data') ?? {};
  const binaryData = objectAt(object, 'binaryData') ?? {};
  const both = Object.keys(data).filter((key) => Object.hasOwn(binaryData, key));
  const errors = [
    ...dataKeyErrors('data', data),
    ...both.map((key) => invalid(keyPath('data', key), key, 'duplicate of key present in binaryData')),
    ...dataKeyErrors('binaryData', binaryData),
  ];
  const size =
    Object.values(data).reduce<number>((sum, value) => sum + byteLength(String(value)), 0) +
    Object.values(binaryData).reduce<number>((sum, value) => sum + base64ByteLength(String(value)), 0);
  // Use the field path `[]` for the whole object, as Kubernetes does for this error.
  if (size > maxDataBytes) errors.push(tooLong('[]', maxDataBytes));
  return errors;
}

function changeErrors({ object, old }: Draft): FieldError[] {
  const before = old?.object as JsonValue | undefined;
  if (!flagAt(before, 'immutable')) return [];
  const isSame = (member: string) =>
    equalJson(objectAt(object as JsonValue, member) ?? {}, objectAt(before, member) ?? {});
  const changed = [
    ...(flagAt(object as JsonValue, 'immutable') ? [] : ['immutable']),
    ...['data', 'binaryData'].filter((member) => !isSame(member)),
  ];
  return changed.map((member) => forbiddenField(member, immutableDataMessage));
}

export const immutableDataMessage = 'field is immutable when `immutable` is set';
