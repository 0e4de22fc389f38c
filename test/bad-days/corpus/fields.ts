import type { Json } from './bad-request.ts';
import type { FieldSchema, World } from './world.ts';

export interface Field {
  readonly path: readonly string[];
  readonly type: string;
  readonly format: string | undefined;
}

const item = '[]';
const anyName = '{}';
/** Schemas may contain themselves. */
const deepest = 9;

/** Every field of a schema, containers before what is in them. */
export function* fieldsOf(world: World, schema: FieldSchema, path: readonly string[] = []): Generator<Field> {
  if (path.length > deepest) return;
  const plain = resolved(world, schema);
  if (path.length > 0 && plain.type !== undefined) yield { path, type: plain.type, format: plain.format };
  for (const [name, member] of Object.entries(plain.properties ?? {})) yield* fieldsOf(world, member, [...path, name]);
  if (plain.items !== undefined) yield* fieldsOf(world, plain.items, [...path, item]);
  if (typeof plain.additionalProperties === 'object') {
    yield* fieldsOf(world, plain.additionalProperties, [...path, anyName]);
  }
}

function resolved(world: World, schema: FieldSchema): FieldSchema {
  if (schema.$ref !== undefined) {
    const { $ref: reference, ...rest } = schema;
    return { ...resolved(world, world.definitions.get(reference.split('/').at(-1) ?? '') ?? {}), ...rest };
  }
  const parts = (schema.allOf ?? []).map((part) => resolved(world, part));
  return Object.assign({}, ...parts, schema);
}

/** The sample with this value at this place, whatever stood there. */
export function placed(sample: Json, path: readonly string[], value: Json): Json {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (name === item) {
    const list = Array.isArray(sample) ? sample : [];
    return [placed(list[0] ?? {}, rest, value), ...list.slice(1)];
  }
  const object = typeof sample === 'object' && sample !== null && !Array.isArray(sample) ? sample : {};
  const at = name === anyName ? 'some-name' : name;
  return { ...object, [at]: placed(object[at] ?? {}, rest, value) };
}

/** The place as a JSON pointer. */
export function pointerTo(path: readonly string[]): string {
  const steps = path.map((name) => (name === item ? '0' : name === anyName ? 'some-name' : name));
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
