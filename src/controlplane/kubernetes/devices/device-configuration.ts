import { isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, required, tooLong } from '../../../api/field-error.ts';
import { childPath } from '../../../api/schema/field-path.ts';
import { textOf } from '../rules/checks.ts';
import { driverNameErrors } from '../rules/csi-rules.ts';

/** The maximum number of configurations in a list. */
export const maxConfigurations = 32;

/** The maximum length, in bytes, of the JSON of an object that only a driver can interpret. */
const maxBytes = 10 * 1024;

/** Returns the errors of the configuration of a device. Only the device's driver can interpret its contents. */
export function* configurationErrors(config: JsonObject, path: string): Generator<FieldError> {
  const at = childPath(path, 'opaque');
  if (!isJsonObject(config.opaque)) {
    yield required(at);
    return;
  }
  yield* driverNameErrors(textOf(config.opaque.driver), childPath(at, 'driver'));
  yield* anyObjectErrors(config.opaque.parameters, childPath(at, 'parameters'));
}

/** Returns the errors of a required JSON object with any members. */
export function anyObjectErrors(value: JsonValue | undefined, path: string): FieldError[] {
  if (value === undefined || value === null) return [required(path)];
  if (byteLength(writeJson(value)) > maxBytes) return [tooLong(path, maxBytes)];
  return isJsonObject(value) ? [] : [invalid(path, '<value omitted>', 'must be a valid JSON object')];
}
