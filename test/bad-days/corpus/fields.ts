import type { Json } from './bad-request.ts';
import type { FieldSchema, ServedApi } from './served-api.ts';

export interface Field {
  readonly path: readonly string[];
  readonly type: string;
  readonly format: string | undefined;
}

const item = '[]';
const anyName = '{}';
/** A limit for recursive schemas. */
const deepest = 9;

/** Every field of a schema, containers before their members. */
export function* fieldsOf(servedApi: ServedApi, schema: FieldSchema, path: readonly string[] = []): Generator<Field> {
  if (path.length > deepest) return;
  const plain = resolved(servedApi, schema);
  if (path.length > 0 && plain.type !== undefined) yield { path, type: plain.type, format: plain.format };
  for (const [name, member] of Object.entries(plain.properties ?? {}))
    yield* fieldsOf(servedApi, member, [...path, name]);
  if (plain.items !== undefined) yield* fieldsOf(servedApi, plain.items, [...path, item]);
  if (typeof plain.additionalProperties === 'object') {
    yield* fieldsOf(servedApi, plain.additionalProperties, [...path, anyName]);
  }
}

function resolved(servedApi: ServedApi, schema: FieldSchema): FieldSchema {
  if (schema.$ref !== undefined) {
    const { $ref: reference, ...rest } = schema;
    return { ...resolved(servedApi, servedApi.definitions.get(reference.split('/').at(-1) ?? '') ?? {}), ...rest };
  }
  const parts = (schema.allOf ?? []).map((part) => resolved(servedApi, part));
  return Object.assign({}, ...parts, schema);
}

/** The sample with this value at this path, replacing any existing value. */
export function withValueAt(sample: Json, path: readonly string[], value: Json): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (name === item) {
    const list = Array.isArray(sample) ? sample : [];
    return [withValueAt(list[0] ?? {}, rest, value), ...list.slice(1)];
  }
  const object = typeof sample === 'object' && sample !== null && !Array.isArray(sample) ? sample : {};
  const at = name === anyName ? 'some-name' : name;
  return { ...object, [at]: withValueAt(object[at] ?? {}, rest, value) };
}

/** The path as a JSON pointer. */
export function pointerTo(path: readonly string[]): string {
  const steps = path.map((name) => (name === item ? '0' : name === anyName ? 'some-name' : name));
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
