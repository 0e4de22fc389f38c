import type { FieldPath } from '../merge/field-path.ts';

/** An OpenAPI v3 schema as API servers publish it, reduced to the members that the editor uses. */
export interface OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApiSchema[];
  readonly oneOf?: readonly OpenApiSchema[];
  readonly anyOf?: readonly OpenApiSchema[];
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly additionalProperties?: OpenApiSchema | boolean;
  readonly items?: OpenApiSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, OpenApiSchema>> };
}

const refPrefix = '#/components/schemas/';

/** The schema of one kind, with lookup of field schemas by path. */
export class SchemaTree {
  readonly #schemas: Readonly<Record<string, OpenApiSchema>>;
  readonly root: OpenApiSchema;

  constructor(document: OpenApiDocument, root: OpenApiSchema) {
    this.#schemas = document.components?.schemas ?? {};
    this.root = this.#resolved(root);
  }

  /** Returns the schema of the field at a path; `undefined` if the field has none. */
  at(steps: FieldPath): OpenApiSchema | undefined {
    let schema: OpenApiSchema | undefined = this.root;
    for (const step of steps) {
      if (schema === undefined) return undefined;
      schema = typeof step === 'number' ? this.item(schema) : this.member(schema, step);
    }
    return schema;
  }

  member(schema: OpenApiSchema, name: string): OpenApiSchema | undefined {
    const { properties = {}, additionalProperties } = schema;
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) return this.#resolved(own);
    return typeof additionalProperties === 'object' ? this.#resolved(additionalProperties) : undefined;
  }

  item(schema: OpenApiSchema): OpenApiSchema | undefined {
    return schema.items === undefined ? undefined : this.#resolved(schema.items);
  }

  /** Resolves `$ref` and `allOf`. Members beside `$ref` override the members of the referenced schema. */
  #resolved(schema: OpenApiSchema, depth = 0): OpenApiSchema {
    if (depth > 16) return {};
    const { $ref, allOf, ...own } = schema;
    let whole: OpenApiSchema = {};
    if ($ref?.startsWith(refPrefix)) {
      const target = this.#schemas[$ref.slice(refPrefix.length)];
      if (target !== undefined) whole = this.#resolved(target, depth + 1);
    }
    for (const part of allOf ?? []) whole = { ...whole, ...this.#resolved(part, depth + 1) };
    return { ...whole, ...own };
  }
}

/** Returns the schema of a kind from the OpenAPI document of its group version; `undefined` if there is none. */
export function schemaOfKind(
  document: OpenApiDocument,
  { group, version, kind }: { readonly group: string; readonly version: string; readonly kind: string },
): SchemaTree | undefined {
  for (const schema of Object.values(document.components?.schemas ?? {})) {
    const names = schema['x-kubernetes-group-version-kind'] ?? [];
    const isIt = names.some((name) => name.group === group && name.version === version && name.kind === kind);
    if (isIt && names.length === 1) return new SchemaTree(document, schema);
  }
  return undefined;
}

/** Returns a short description of the type of a field. */
export function typeText(schema: OpenApiSchema, tree: SchemaTree): string {
  if (isIntOrString(schema)) return 'number or string';
  if (schema.enum !== undefined) return 'enum';
  switch (schema.type) {
    case 'array': {
      const item = tree.item(schema);
      return item === undefined ? 'list' : `list of ${typeText(item, tree)}`;
    }
    case 'object':
      return schema.properties === undefined && schema.additionalProperties !== undefined ? 'map' : 'object';
    case 'string':
      return schema.format === undefined ? 'string' : `string (${schema.format})`;
    case 'boolean':
      return 'boolean';
    case 'integer':
      return 'integer';
    default:
      return schema.type ?? 'any';
  }
}

export function isIntOrString(schema: OpenApiSchema): boolean {
  return schema['x-kubernetes-int-or-string'] === true || schema.format === 'int-or-string';
}

/** Returns the values that completion suggests for a field. */
export function suggestedValues(schema: OpenApiSchema): readonly string[] {
  if (schema.enum !== undefined) return schema.enum.map(String);
  return schema.type === 'boolean' ? ['true', 'false'] : [];
}
