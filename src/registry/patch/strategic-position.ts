import type { ResourceKind } from '../../api/resource.ts';
import { memberSchema } from '../../api/schema/member-schema.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { unprocessable } from '../../api/status.ts';
import { metadataSchema } from '../apply/metadata-schema.ts';

/** The current position of a strategic merge patch: the schema of the members there. */
export interface StrategicPosition {
  readonly schema: Schema;
  /** The name in messages: the name of Go's struct. */
  readonly name: string;
}

/** The merge behavior of a list. */
export interface ListMergeRule {
  /** False if the patch's list replaces the other. */
  readonly isMerged: boolean;
  /** '' for lists of scalars, which are identified by their value. */
  readonly mergeKey: string;
  readonly items: StrategicPosition;
}

export function rootPosition(kind: Pick<ResourceKind, 'kind' | 'schema'>): StrategicPosition {
  const { schema } = kind;
  return { name: kind.kind, schema: { ...schema, properties: { ...schema.properties, metadata: metadataSchema } } };
}

/** Throws if the schema has no such member, because the merge behavior is then unknown. */
export function memberPosition(place: StrategicPosition, name: string): StrategicPosition {
  const schema = memberSchema(place.schema, name);
  if (schema === undefined) {
    throw unprocessable(`unable to find api field in struct ${place.name} for the json field ${JSON.stringify(name)}`);
  }
  return { schema, name: schema === metadataSchema ? 'ObjectMeta' : `${place.name}${capital(name)}` };
}

export function listRule(place: StrategicPosition, name: string): ListMergeRule {
  const { schema } = memberPosition(place, name);
  if (schema.type !== 'array') throw unprocessable(`expected slice or array type, but got: ${goKind(place.schema)}`);
  return {
    isMerged: (schema['x-kubernetes-patch-strategy'] ?? '').split(',').includes('merge'),
    mergeKey: schema['x-kubernetes-patch-merge-key'] ?? '',
    items: { schema: schema.items ?? {}, name: `${place.name}${capital(name)}` },
  };
}

/** True if an object is replaced as a whole. */
export function isReplaced(place: StrategicPosition): boolean {
  return (place.schema['x-kubernetes-patch-strategy'] ?? '').split(',').includes('replace');
}

function goKind(schema: Schema): string {
  return schema.properties === undefined ? 'map' : 'struct';
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
