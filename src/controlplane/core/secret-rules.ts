import { isJsonObject, type JsonObject, type JsonValue, objectAt, parseJson, textAt } from '@flotilla/json';
import { secretTypes, serviceAccountNameAnnotation } from '../../api/core/secret.ts';
import { base64ByteLength, decodeBase64 } from '../../api/decode/base64.ts';
import { goDecoderTypeName } from '../../api/decode/decode-error.ts';
import { type FieldError, invalid, required, tooLong } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { keyPath } from '../../api/schema/field-path.ts';
import { dataKeyErrors, maxDataBytes } from './data-keys.ts';

/**
 * Returns the errors of a secret, including the errors for the type of the secret. The messages do not contain the
 * secret's data.
 */
export function secretErrors(secret: KubeObject): FieldError[] {
  const data = objectAt(secret as JsonValue, 'data') ?? {};
  const errors = dataKeyErrors('data', data);
  const size = Object.values(data).reduce<number>((sum, value) => sum + base64ByteLength(String(value)), 0);
  if (size > maxDataBytes) errors.push(tooLong('data', maxDataBytes));
  errors.push(...typeErrors(secret, data));
  return errors;
}

function typeErrors(secret: KubeObject, data: JsonObject): FieldError[] {
  const missing = (...keys: string[]) =>
    keys.filter((key) => !Object.hasOwn(data, key)).map((key) => required(keyPath('data', key)));
  switch (textAt(secret as JsonValue, 'type')) {
    case secretTypes.serviceAccountToken:
      return textAt(secret as JsonValue, 'metadata', 'annotations', serviceAccountNameAnnotation) === ''
        ? [required(keyPath('metadata.annotations', serviceAccountNameAnnotation))]
        : [];
    case secretTypes.dockercfg:
      return documentErrors('.dockercfg', data);
    case secretTypes.dockerConfigJson:
      return documentErrors('.dockerconfigjson', data);
    case secretTypes.basicAuth: {
      const faults = missing('username', 'password');
      return faults.length === 2 ? faults : [];
    }
    case secretTypes.sshAuth:
      return textAt(data, 'ssh-privatekey') === '' ? [required(keyPath('data', 'ssh-privatekey'))] : [];
    case secretTypes.tls:
      return missing('tls.crt', 'tls.key');
    default:
      return [];
  }
}

/** Returns an error if the value of a key is missing or is not a JSON object. */
function documentErrors(key: string, data: JsonObject): FieldError[] {
  const path = keyPath('data', key);
  if (!Object.hasOwn(data, key)) return [required(path)];
  const fault = documentFault(decodeBase64(textAt(data, key)));
  return fault === undefined ? [] : [invalid(path, '<secret contents redacted>', fault)];
}

function documentFault(text: string): string | undefined {
  try {
    const { value: document } = parseJson(text);
    if (document === null || isJsonObject(document)) return undefined;
    return `json: cannot unmarshal ${goDecoderTypeName(document)} into Go value of type map[string]interface {}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
