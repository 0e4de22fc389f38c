import type { JsonValue } from '@flotilla/json';
import { defineStruct, type GoField, type GoFieldType, type GoScalarType, type GoStruct } from './go-struct.ts';

/** A field of a struct as the generated table describes it. */
export interface TableField {
  readonly name: string;
  /** The protobuf number; 0 if protobuf does not encode the field. */
  readonly number: number;
  readonly shape: GoField['shape'];
  /**
   * A scalar type, or the name of a struct: `Container` for a struct in the same package, otherwise `core.Container`.
   */
  readonly type: string;
  readonly isPrinted: boolean;
  readonly isRequired: boolean;
  /**
   * The map type of this field, which overrides that of the struct: server-side apply treats an `atomic` object or map
   * as a single field.
   */
  readonly mapType?: 'atomic' | 'granular';
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly mapKeys: readonly string[];
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly patchMergeKey?: string;
  readonly default?: JsonValue;
}

export interface TableStruct {
  readonly isAtomic: boolean;
  readonly fields: readonly TableField[];
}

/** The structs of one package. */
export interface StructPackage {
  /** The prefix of the names of these structs in OpenAPI. */
  readonly prefix: string;
  /** The API version of the kinds in the package. Absent if the package has no kinds. */
  readonly apiVersion?: string;
  /** The generated text with one struct per line. */
  readonly text: string;
}

/** A kind in the table. `struct` is the full name of its struct, such as `apps.Deployment`. */
interface TableKind {
  readonly apiVersion: string;
  readonly kind: string;
  readonly struct: string;
}

const scalarTypes: ReadonlySet<string> = new Set<GoScalarType>([
  'string',
  'int32',
  'int64',
  'bool',
  'double',
  'time',
  'microTime',
  'bytes',
  'quantity',
  'json',
  'fieldsV1',
  'strings',
  'intOrString',
  'rawExtension',
]);

/** The scalar types that are structs in Go. */
const structScalars: ReadonlySet<GoScalarType> = new Set([
  'time',
  'microTime',
  'quantity',
  'intOrString',
  'rawExtension',
]);

export function isScalarType(type: string): type is GoScalarType {
  return scalarTypes.has(type);
}

const fieldPattern =
  /^(?<name>\w*)(?<mark>[!?^]?):(?<number>\d+):(?<shape>\*|\[\]|\{\})?(?<type>[\w.]+)(?<mapType>[@&]?)(?:~(?<list>\w+)(?:\((?<keys>[^)]*)\))?)?(?:%(?<patch>[\w,]+)(?:\((?<mergeKey>\w+)\))?)?(?:=(?<value>.*))?$/;

const shapes: Readonly<Record<string, GoField['shape']>> = { '*': 'pointer', '[]': 'list', '{}': 'map' };

/** Parses a field of the generated table. `scripts/kubernetes-types/write-table.mjs` describes the notation. */
function parseField(text: string): TableField {
  const groups = fieldPattern.exec(text)?.groups;
  if (groups === undefined) throw new TypeError(`the struct table contains an invalid field: ${text}`);
  const {
    name = '',
    mark = '',
    number = '',
    shape = '',
    type = '',
    mapType = '',
    list,
    keys,
    patch,
    mergeKey,
    value,
  } = groups;
  return {
    name,
    number: Number(number),
    shape: shapes[shape] ?? 'value',
    type,
    isPrinted: mark === '!' || mark === '?',
    isRequired: mark === '!' || mark === '^',
    mapKeys: keys === undefined ? [] : keys.split(','),
    ...(mapType === '' ? {} : { mapType: mapType === '@' ? 'atomic' : 'granular' }),
    ...(list === undefined ? {} : { listType: list as 'atomic' | 'set' | 'map' }),
    ...(patch === undefined ? {} : { patchStrategy: patch as NonNullable<TableField['patchStrategy']> }),
    ...(mergeKey === undefined ? {} : { patchMergeKey: mergeKey }),
    ...(value === undefined ? {} : { default: JSON.parse(value) as JsonValue }),
  };
}

/** The Go structs of generated packages, by short package name. A line is parsed when its struct is first used. */
export class StructTable {
  readonly #packages: Readonly<Record<string, StructPackage>>;
  /** The line of each struct, by full name such as `core.Container`. Created on first use. */
  #lines: ReadonlyMap<string, string> | undefined;
  /** The kinds by API version and kind, such as `apps/v1/Deployment`. Created on first use. */
  #kinds: ReadonlyMap<string, TableKind> | undefined;
  readonly #parsed = new Map<string, TableStruct>();
  readonly #structs = new Map<string, GoStruct>();

  /** Creates a table. `known` contains hand-written structs to which the table refers, such as `meta.ObjectMeta`. */
  constructor(packages: Readonly<Record<string, StructPackage>>, known: Readonly<Record<string, GoStruct>> = {}) {
    this.#packages = packages;
    for (const [name, struct] of Object.entries(known)) this.#structs.set(name, struct);
  }

  /**
   * Returns the fields of a struct by its full name, such as `core.Container`; `undefined` if the table has no such
   * struct.
   */
  fieldsOf(name: string): TableStruct | undefined {
    let found = this.#parsed.get(name);
    if (found !== undefined) return found;
    const line = this.#linesByName().get(name);
    if (line === undefined) return undefined;
    const [head = '', ...fields] = line.split(' ');
    found = { isAtomic: head.endsWith('@'), fields: fields.map(parseField) };
    this.#parsed.set(name, found);
    return found;
  }

  /** Returns a struct for printing, protobuf and OpenAPI; `undefined` if the table has no such struct. */
  structOf(name: string): GoStruct | undefined {
    const known = this.#structs.get(name);
    if (known !== undefined) return known;
    if (!this.#linesByName().has(name)) return undefined;
    const [alias = '', short = ''] = name.split('.');
    const struct = defineStruct(`${this.#packages[alias]?.prefix}.${short}`, () => this.#plan(name));
    this.#structs.set(name, struct);
    return struct;
  }

  /**
   * Returns the full name of the struct of a kind, such as `apps.Deployment`; `undefined` if it is not in the table.
   */
  kindName(apiVersion: string, kind: string): string | undefined {
    this.#kinds ??= this.#findKinds();
    return this.#kinds.get(`${apiVersion}/${kind}`)?.struct;
  }

  /** Returns the kinds in the table, with the full names of their structs. */
  kinds(): readonly TableKind[] {
    this.#kinds ??= this.#findKinds();
    return [...this.#kinds.values()];
  }

  /** Returns the full name of the struct to which a field of the struct `from` refers. */
  resolve(type: string, from: string): string {
    return type.includes('.') ? type : `${from.split('.')[0]}.${type}`;
  }

  #plan(name: string): Record<string, Omit<GoField, 'name'>> {
    const fields = this.fieldsOf(name)?.fields ?? [];
    return Object.fromEntries(
      fields.map((field) => {
        const type = this.#typeOf(field, name);
        // Go prints structs even if they are empty, including structs that the table treats as scalars.
        const isAlwaysPrinted = field.shape === 'value' && (typeof type !== 'string' || structScalars.has(type));
        const shown = field.isPrinted || isAlwaysPrinted;
        const { name: member, number, isRequired: required, default: value } = field;
        const published = value === undefined ? {} : { default: value };
        return [member, { number, type, shape: shapeOf(field), shown, required, ...published }];
      }),
    );
  }

  #typeOf({ type }: TableField, name: string): GoFieldType {
    if (isScalarType(type)) return type;
    const struct = this.structOf(this.resolve(type, name));
    if (struct === undefined) throw new TypeError(`the struct table has no ${type}, which ${name} uses`);
    return struct;
  }

  #findKinds(): ReadonlyMap<string, TableKind> {
    const found = Object.entries(this.#packages).flatMap(([alias, { apiVersion = '', text }]) =>
      [...text.matchAll(/^(\w+)#/gm)].map(([, kind = '']) => ({ apiVersion, kind, struct: `${alias}.${kind}` })),
    );
    return new Map(found.map((kind) => [`${kind.apiVersion}/${kind.kind}`, kind]));
  }

  #linesByName(): ReadonlyMap<string, string> {
    this.#lines ??= new Map(
      Object.entries(this.#packages).flatMap(([alias, { text }]) =>
        text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => [`${alias}.${/^\w+/.exec(line)?.[0]}`, line] as const),
      ),
    );
    return this.#lines;
  }
}

/**
 * Returns the shape of a field. A field of the type bytes has the shape of a pointer: JSON omits empty bytes, and
 * protobuf omits unset bytes.
 */
function shapeOf({ shape, type }: TableField): GoField['shape'] {
  return shape === 'value' && type === 'bytes' ? 'pointer' : shape;
}
