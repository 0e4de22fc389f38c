import { goQuote } from '@flotilla/go-text';
import type { JsonValue } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid } from '../../../api/field-error.ts';

const dashed = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const undashed = /^[0-9a-f]{32}$/i;
const urn = 'urn:uuid:';
const malformed = 'invalid UUID format';

/** Returns the errors of the ID of a device share, which must be a UUID in lower case. An absent ID has no errors. */
export function shareIdErrors(value: JsonValue | undefined, path: string): FieldError[] {
  if (typeof value !== 'string') return [];
  const fault = uuidFault(value);
  if (fault !== undefined) return [invalid(path, value, `error validating uid: ${fault}`)];
  if (value.length === 36 && value === value.toLowerCase()) return [];
  const detail =
    'uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters';
  return [invalid(path, value, detail)];
}

/** Returns the fault of a UUID in any of its usual forms, worded as in the library that Kubernetes uses. */
function uuidFault(text: string): string | undefined {
  const length = byteLength(text);
  if (length === 36) return dashed.test(text) ? undefined : malformed;
  if (length === 32) return undashed.test(text) ? undefined : malformed;
  if (length === 36 + urn.length) {
    const prefix = text.slice(0, urn.length);
    if (prefix.toLowerCase() !== urn) return `invalid urn prefix: ${goQuote(prefix)}`;
    return dashed.test(text.slice(urn.length)) ? undefined : malformed;
  }
  if (length !== 38) return `invalid UUID length: ${length}`;
  if (!text.startsWith('{') || !text.endsWith('}')) return 'invalid bracketed UUID format';
  return dashed.test(text.slice(1, -1)) ? undefined : malformed;
}
