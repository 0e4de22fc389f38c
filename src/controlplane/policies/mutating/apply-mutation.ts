import { CelList, CelMessage, type CelValue, EvaluationError, jsonOfValue, messageTypeError } from '@flotilla/cel';
import { mergeConfiguration, SchemaMismatchError, TooManyFieldsError } from '@flotilla/field-ownership';
import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { DecodeError } from '../../../api/decode/decode-error.ts';
import { apiVersionOf, type KubeObject } from '../../../api/meta.ts';
import { internalError } from '../../../api/status.ts';
import { toPrintedForm } from '../../../api/structs/printed-form.ts';
import type { MutationAttributes } from '../../../registry/mutation-attributes.ts';
import { applyAdmissionPatch, InapplicablePatchError } from '../../../registry/patch/json-patch.ts';
import { type OwnedKind, trackedKindOf } from '../../../registry/tracked-kind.ts';
import type { CompiledMutation } from './compile-mutations.ts';

/** Thrown if the value of an expression cannot be applied to the object. */
export class MutationError extends Error {
  override readonly name = 'MutationError';
}

/**
 * Applies the value of a mutation's expression to an object. Returns the changed object, with defaults. Throws
 * MutationError, and StatusError if the result is not an object of its kind.
 */
export function applyMutation(
  write: MutationAttributes,
  object: KubeObject,
  patchType: CompiledMutation['patchType'],
  value: CelValue,
): KubeObject {
  try {
    return patchType === 'JSONPatch' ? jsonPatched(write, object, value) : merged(write, object, value);
  } catch (error) {
    if (error instanceof EvaluationError) throw new MutationError(error.message);
    throw error;
  }
}

function kindOf({ resource, requestKind }: MutationAttributes): OwnedKind {
  return requestKind ?? resource;
}

function merged(write: MutationAttributes, object: KubeObject, value: CelValue): KubeObject {
  const kind = kindOf(write);
  // As in kube-apiserver, the schemas of an API group do not contain the kinds of other groups, such as Scale.
  if (kind.group !== write.resource.group) {
    const type = `${apiVersionOf(kind)}, Kind=${kind.kind}`;
    const detail = `failed to convert patch object to typed object: no corresponding type for ${type}`;
    throw new MutationError(`error applying patch: ${detail}`);
  }
  const configuration = jsonOfValue(value);
  const mismatch = messageTypeError(value);
  if (mismatch !== undefined) throw new MutationError(`type mismatch: ${mismatch}`);
  const type = { apiVersion: apiVersionOf(kind), kind: kind.kind };
  try {
    const result = mergeConfiguration(trackedKindOf(kind), { ...object, ...type } as KubeObject, {
      ...(configuration as JsonObject),
      ...type,
    });
    return decoded(write, result as JsonObject, true);
  } catch (error) {
    const isMismatch = error instanceof SchemaMismatchError || error instanceof TooManyFieldsError;
    if (isMismatch) throw new MutationError(`error applying patch: ${error.message}`);
    throw error;
  }
}

function jsonPatched(write: MutationAttributes, object: KubeObject, value: CelValue): KubeObject {
  const operations = value instanceof CelList ? [...value].map(operationOf) : [];
  const base = kindOf(write).builtIn === true ? toPrintedForm(object) : object;
  let patched: JsonValue;
  try {
    patched = applyAdmissionPatch(base as JsonValue, operations);
  } catch (error) {
    if (!(error instanceof InapplicablePatchError)) throw error;
    if (error.isFailedTest) return object;
    throw new MutationError(`JSON Patch: ${error.message}`);
  }
  if (!isJsonObject(patched)) throw new MutationError('JSON Patch: the result is not an object');
  return decoded(write, patched, false);
}

function operationOf(value: CelValue): JsonObject {
  if (!(value instanceof CelMessage)) throw new MutationError('type mismatch: the list has elements of other types');
  const operation = jsonOfValue(value) as JsonObject;
  const changed = value.find('value');
  const mismatch = changed === undefined ? undefined : messageTypeError(changed);
  if (mismatch !== undefined) throw new MutationError(`type mismatch: ${mismatch}`);
  const { op = '', path = '', from = '' } = operation;
  return {
    op,
    path,
    ...(from === '' ? {} : { from }),
    ...(changed === undefined ? {} : { value: operation.value ?? null }),
  };
}

/**
 * Decodes a changed object. If `dropsUnknown` is true, unknown fields are removed. Otherwise, unknown fields of
 * built-in kinds are an error.
 */
function decoded(write: MutationAttributes, document: JsonObject, dropsUnknown: boolean): KubeObject {
  try {
    const { object, findings } = write.decode(document);
    const isStrict = kindOf(write).builtIn === true && !dropsUnknown;
    if (isStrict && findings.length > 0) throw internalError(`strict decoding error: ${findings.join(', ')}`);
    return object;
  } catch (error) {
    if (error instanceof DecodeError) throw internalError(error.message);
    throw error;
  }
}
