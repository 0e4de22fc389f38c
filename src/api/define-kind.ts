import type { JsonObject } from '@flotilla/json';
import type { ResourceKind } from './resource.ts';
import { asSchema, type Static, type TSchema } from './schema/schema-builder.ts';

/** The TypeScript type of the fields that a schema describes. */
type FieldsOf<Schema extends TSchema> = Static<Schema> extends JsonObject ? Static<Schema> : never;

/**
 * A kind definition whose `schema` comes from the schema builder. The TypeScript type of the kind's objects is derived
 * from the schema.
 */
export interface KindDefinition<Schema extends TSchema> extends Omit<ResourceKind<FieldsOf<Schema>>, 'schema'> {
  /**
   * The schema of the fields of the kind other than apiVersion, kind and metadata: `t.object({ spec: …, status: … })`.
   * A schema without a known TypeScript type causes a compile error, because the objects would have the type `never`.
   */
  readonly schema: Static<Schema> extends JsonObject ? Schema : never;
}

/** Defines a kind. The published schema and the TypeScript type of the objects are derived from the same definition. */
export function defineKind<Schema extends TSchema>(definition: KindDefinition<Schema>): ResourceKind<FieldsOf<Schema>> {
  return { ...definition, schema: asSchema(definition.schema) };
}
