import type { JsonObject } from '@flotilla/json';
import { byteLength } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid } from '../../api/field-error.ts';
import { keyPath } from '../../api/schema/field-path.ts';

/** The maximum total size of the values in a ConfigMap or Secret, in bytes. */
export const maxDataBytes = 1024 * 1024;

const longestKey = 253;
const keyFormat = '[-._a-zA-Z0-9]+';
const key = new RegExp(`^${keyFormat}$`);

/** Returns the errors of the keys in a map of a ConfigMap or Secret. `member` is the map's name, for example `data`. */
export function dataKeyErrors(member: string, data: JsonObject): FieldError[] {
  return Object.keys(data).flatMap((name) =>
    dataKeyFaults(name).map((fault) => invalid(keyPath(member, name), name, fault)),
  );
}

/** Returns the faults of a key of a ConfigMap or Secret. */
export function dataKeyFaults(name: string): string[] {
  const faults: string[] = [];
  if (byteLength(name) > longestKey) faults.push(`must be no more than ${longestKey} characters`);
  if (!key.test(name)) {
    const rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    const examples = "'key.name',  or 'KEY_NAME',  or 'key-name'";
    faults.push(`${rule} (e.g. ${examples}, regex used for validation is '${keyFormat}')`);
  }
  if (name === '.' || name === '..') faults.push(`must not be '${name}'`);
  else if (name.startsWith('..')) faults.push("must not start with '..'");
  return faults;
}
