import { FieldSet } from '../field-set/field-set.ts';
import type { PathElement } from '../field-set/path-element.ts';
import type { TrackedKind } from '../tracked-kind.ts';
import type { Shape } from '../typed/shape.ts';
import { memberShape } from '../typed/typed.ts';
import type { Managers } from './managers.ts';
import { shapeIn } from './versioned-fields.ts';

/**
 * Adapts the ownership to a schema in which a list or map has become atomic. The owner of single items or members then
 * owns the whole list or map. Omits managers whose version does not exist.
 */
export function reconcileManagers(kind: TrackedKind, managers: Managers): Managers {
  const reconciled: Managers = new Map();
  for (const [identity, managed] of managers) {
    const shape = shapeIn(kind, managed.apiVersion);
    if (shape === undefined) continue;
    const fields = reconcile(shape, managed.fields);
    reconciled.set(identity, fields === managed.fields ? managed : { ...managed, fields });
  }
  return reconciled;
}

function reconcile(shape: Shape, fields: FieldSet): FieldSet {
  if (fields.fitsShape === shape) return fields;
  const atomic = atomicWithin(shape, fields);
  if (atomic !== undefined && !atomic.isEmpty) return fields.recursiveDifference(atomic).union(atomic);
  fields.fitsShape = shape;
  return fields;
}

/** Returns the atomic lists and maps above paths of `fields`; `undefined` if the value of `shape` itself is atomic. */
function atomicWithin(shape: Shape, fields: FieldSet): FieldSet | undefined {
  if (shape.acceptsAny === true) return noFields;
  const whole = shape.map !== undefined ? shape.map.atomic : shape.list?.atomic;
  if (whole === true) return undefined;
  return fields.map(({ element, below }) => {
    const inner = below === undefined ? undefined : shapeAt(shape, element);
    if (below === undefined || inner === undefined) return { member: false, below: undefined };
    const found = atomicWithin(inner, below);
    return { member: found === undefined, below: found };
  });
}

const noFields = new FieldSet();

function shapeAt({ map, list }: Shape, element: PathElement): Shape | undefined {
  if (element.type === 'field') return map === undefined ? undefined : memberShape(map, element.name);
  return list?.item;
}
