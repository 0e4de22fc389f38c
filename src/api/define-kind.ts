import type { JsonObject } from '@flotilla/json';
import type { ResourceKind } from './resource.ts';
import { asSchema, type Static, type TSchema } from './schema/schema-builder.ts';

/** The fields of an object as its schema describes them. */
type FieldsOf<Schema extends TSchema> = Static<Schema> extends JsonObject ? Static<Schema> : never;

/** A kind definition that still has its schema as the builder made it, and so knows its TypeScript type. */
export interface KindDefinition<Schema extends TSchema> extends Omit<ResourceKind<FieldsOf<Schema>>, 'schema'> {
  /** An object with the fields of the kind besides apiVersion, kind and metadata: `t.object({ spec: …, status: … })`. */
  readonly schema: Schema;
}

/** Defines a kind once: the schema that the API publishes and the TypeScript type of its objects are the same value. */
export function defineKind<Schema extends TSchema>(definition: KindDefinition<Schema>): ResourceKind<FieldsOf<Schema>> {
  return { ...definition, schema: asSchema(definition.schema) };
}
