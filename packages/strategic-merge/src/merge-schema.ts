/**
 * The members of an OpenAPI schema that define how a strategic merge patch changes a value. A complete structural schema
 * of Kubernetes satisfies this interface.
 */
export interface MergeSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, MergeSchema>>;
  readonly additionalProperties?: MergeSchema | boolean;
  readonly items?: MergeSchema;
  /** The strategies for the value, separated by commas: `merge`, `replace`, `retainKeys`. */
  readonly 'x-kubernetes-patch-strategy'?: string;
  /** The field that identifies the items of a merged list of objects. */
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** Returns the schema of a member: its property, or the schema of all map values. `undefined` if there is none. */
export function memberSchema(schema: MergeSchema, name: string): MergeSchema | undefined {
  if (schema.properties !== undefined && Object.hasOwn(schema.properties, name)) return schema.properties[name];
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
