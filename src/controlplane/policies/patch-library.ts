import { type CelType, DYN, type ObjectType, type Overload, overload, STRING, signature } from '@flotilla/cel';

/** The type of the objects that each describe one operation of a JSON patch. */
export const JSON_PATCH: ObjectType = {
  kind: 'object',
  name: 'JSONPatch',
  fields: new Map<string, CelType>([
    ['op', STRING],
    ['path', STRING],
    ['from', STRING],
    ['value', DYN],
  ]),
};

const NO_FIELDS: ReadonlyMap<string, CelType> = new Map();

/**
 * Returns a type that the expressions of mutating policies can construct: JSONPatch, Object, or the type of a field of
 * the object, such as `Object.spec.template`. As in Kubernetes, any field can have any value.
 */
export function patchType(name: string): ObjectType | undefined {
  if (name === JSON_PATCH.name) return JSON_PATCH;
  if (name !== 'Object' && !name.startsWith('Object.')) return undefined;
  return { kind: 'object', name, fields: NO_FIELDS, otherFields: DYN };
}

/** The functions that only the expressions of mutating policies can use. */
export const patchLibrary: readonly Overload[] = [
  overload(
    'jsonpatch.escapeKey',
    'string_jsonpatch_escapeKey_string',
    signature([STRING], STRING),
    ([key]: readonly [string]) => key.replaceAll('~', '~0').replaceAll('/', '~1'),
  ),
];
