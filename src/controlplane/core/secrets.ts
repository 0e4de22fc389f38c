import {
  equalJson,
  flagAt,
  type JsonObject,
  type JsonValue,
  objectAt,
  setMember,
  sortByBytes,
  textAt,
} from '@flotilla/json';
import { secretKind, secretTypes } from '../../api/core/secret.ts';
import { encodeBase64 } from '../../api/decode/base64.ts';
import { type FieldError, forbiddenField, invalid } from '../../api/field-error.ts';
import type { RequestContext } from '../../registry/context.ts';
import { type Draft, defineResource, type RowSealing, type StoredResource } from '../../registry/resource.ts';
import { recordCreatorOfSecret } from './accounts/token-secret-creator.ts';
import { immutableDataMessage } from './config-maps.ts';
import { dropEmpty } from './drop-empty.ts';
import { secretErrors } from './secret-rules.ts';
import { keyPairError } from './tls-key-pair.ts';

/** The kind Secret. Its stored rows are encrypted with `sealing`. */
export function storedSecrets(sealing: RowSealing): StoredResource {
  return defineResource({
    ...secretKind,
    hasStatus: false,
    unconditionalUpdate: true,
    sealing,
    prepare: prepareSecret,
    validate(draft, context) {
      const errors = [...changeErrors(draft), ...secretErrors(draft.object)];
      if (errors.length === 0) warnOfKeyPair(draft.object as JsonObject, context);
      return errors;
    },
  });
}

function prepareSecret(draft: Draft, context: RequestContext): void {
  const secret = mergeStringData(draft.object as JsonObject);
  if (textAt(secret, 'type') === '') {
    secret.type = textAt(draft.old?.object as JsonValue | undefined, 'type') || secretTypes.opaque;
  }
  dropEmpty(secret, ['data']);
  recordCreatorOfSecret(draft, context);
}

/** Copies the values of `stringData` into `data` and removes `stringData`. */
function mergeStringData(secret: JsonObject): JsonObject {
  const texts = objectAt(secret, 'stringData');
  delete secret.stringData;
  if (texts === undefined) return secret;
  const merged = { ...objectAt(secret, 'data') };
  for (const [key, text] of Object.entries(texts)) setMember(merged, key, encodeBase64(String(text)));
  const data: JsonObject = {};
  for (const key of sortByBytes(Object.keys(merged))) setMember(data, key, merged[key] as JsonValue);
  secret.data = data;
  return secret;
}

function warnOfKeyPair(secret: JsonObject, context: RequestContext): void {
  if (secret.type !== secretTypes.tls) return;
  const fault = keyPairError(bytesAt(secret, 'tls.crt'), bytesAt(secret, 'tls.key'));
  if (fault !== undefined) context.warn(fault);
}

function bytesAt(secret: JsonObject, key: string): string {
  return Buffer.from(textAt(secret, 'data', key), 'base64').toString('latin1');
}

function changeErrors({ object, old }: Draft): FieldError[] {
  if (old === undefined) return [];
  const before = old.object as JsonValue;
  const after = object as JsonValue;
  const errors: FieldError[] = [];
  const type = textAt(after, 'type');
  if (type !== textAt(before, 'type')) errors.push(invalid('type', type, 'field is immutable'));
  if (!flagAt(before, 'immutable')) return errors;
  if (!flagAt(after, 'immutable')) errors.push(forbiddenField('immutable', immutableDataMessage));
  if (!equalJson(objectAt(after, 'data') ?? {}, objectAt(before, 'data') ?? {})) {
    errors.push(forbiddenField('data', immutableDataMessage));
  }
  return errors;
}
