import { isJsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, forbiddenField } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import { sizeBoundErrors } from '../../api/schema/size-bounds.ts';
import type { StoredResource } from '../../registry/resource.ts';

/**
 * The maximum number of labels, and of annotations, of an object. Unlike Kubernetes, this server has such a limit,
 * because the main thread serves these objects, and a label takes as much time in a write as a field of the spec.
 */
const maxMetadataEntries = 500;

/**
 * The maximum number of values in a spec: items of lists, and members of objects. A project with the maximum number of
 * members has half of this number.
 */
const maxSpecValues = 20_000;

/**
 * Adds to a kind the size limits that apply to all kinds of the management API. The main thread serves the objects of
 * these kinds, so a large object would delay all tenants.
 */
export function withSizeLimits(resource: StoredResource): StoredResource {
  return {
    ...resource,
    sizeErrors(object, old) {
      const errors = [...metadataErrors(object, old), ...sizeBoundErrors(resource.schema, object, old)];
      if (errors.length > 0) return errors;
      const kindErrors = resource.sizeErrors?.(object, old) ?? [];
      return kindErrors.length > 0 ? kindErrors : specErrors(object, old);
    },
  };
}

/** Returns an error for too many labels or annotations if the write increases their number. */
function metadataErrors({ metadata }: KubeObject, old: KubeObject | undefined): FieldError[] {
  return (['labels', 'annotations'] as const).flatMap((member) => {
    const count = memberCount(metadata[member]);
    if (count <= maxMetadataEntries || count <= memberCount(old?.metadata[member])) return [];
    const detail = `may have at most ${maxMetadataEntries} ${member}, but has ${count}`;
    return [forbiddenField(`metadata.${member}`, detail)];
  });
}

function memberCount(map: JsonValue | undefined): number {
  return isJsonObject(map) ? Object.keys(map).length : 0;
}

/** Returns an error for too many values in the spec if the write increases their number. */
function specErrors({ spec }: KubeObject, old: KubeObject | undefined): FieldError[] {
  const count = valuesIn(spec);
  if (count <= maxSpecValues || count <= valuesIn(old?.spec)) return [];
  return [forbiddenField('spec', `may have at most ${maxSpecValues} values, but has ${count}`)];
}

/** Counts the items of all lists and the members of all objects. The nesting depth of decoded objects is limited. */
function valuesIn(value: JsonValue | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Array.isArray(value) ? value : Object.values(value);
  return parts.reduce<number>((count, part) => count + valuesIn(part), parts.length);
}
