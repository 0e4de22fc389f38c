import type { WorkMeter } from '@flotilla/work-meter';
import { type MergeSchema, memberSchema } from './merge-schema.ts';
import { UnmergeablePatchError } from './patch-error.ts';

/** A position within an object during a strategic merge: the schema that applies there, and a name for messages. */
export interface StrategicPosition {
  readonly schema: MergeSchema;
  /** The name of the Go struct at this position, which Kubernetes prints in error messages. */
  readonly name: string;
  /** Counts the list items that the merge visits. */
  readonly meter: WorkMeter;
  /** True for the position of the whole object. */
  readonly isRoot?: true;
}

/** Describes how a strategic merge patch changes a list. */
export interface ListMergeRule {
  /** True if the lists are merged. False if the patch's list replaces the original list. */
  readonly isMerged: boolean;
  /** The field that identifies items of the list. '' for lists of scalars, where the value identifies the item. */
  readonly mergeKey: string;
  readonly items: StrategicPosition;
}

/**
 * Returns the position of a member. Throws if the schema does not contain the member, because only the schema defines
 * how a member is merged.
 */
export function memberPosition(position: StrategicPosition, name: string): StrategicPosition {
  const schema = memberSchema(position.schema, name);
  if (schema === undefined) {
    throw new UnmergeablePatchError(
      `unable to find api field in struct ${position.name} for the json field ${JSON.stringify(name)}`,
    );
  }
  const isObjectMeta = position.isRoot === true && name === 'metadata';
  const below = isObjectMeta ? 'ObjectMeta' : `${position.name}${capital(name)}`;
  return { schema, name: below, meter: position.meter };
}

export function listMergeRule(position: StrategicPosition, name: string): ListMergeRule {
  const { schema } = memberPosition(position, name);
  if (schema.type !== 'array')
    throw new UnmergeablePatchError(`expected slice or array type, but got: ${goKind(position.schema)}`);
  return {
    isMerged: (schema['x-kubernetes-patch-strategy'] ?? '').split(',').includes('merge'),
    mergeKey: schema['x-kubernetes-patch-merge-key'] ?? '',
    items: { schema: schema.items ?? {}, name: `${position.name}${capital(name)}`, meter: position.meter },
  };
}

/** True if a patch replaces the object at this position instead of merging it. */
export function isReplaced(position: StrategicPosition): boolean {
  return (position.schema['x-kubernetes-patch-strategy'] ?? '').split(',').includes('replace');
}

function goKind(schema: MergeSchema): string {
  return schema.properties === undefined ? 'map' : 'struct';
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
