import { FieldSet } from '../field-set/field-set.ts';
import type { FieldPath } from '../field-set/path-element.ts';
import type { Shape } from '../typed/shape.ts';
import { memberShape } from '../typed/typed.ts';
import type { Managers } from './managers.ts';

/**
 * Adapts the ownership to a schema in which a list or map has become atomic. An older entry may own single items or
 * members of it. Their owner then owns the whole list or map.
 */
export function reconcileManagers(shape: Shape, managers: Managers): Managers {
  const reconciled: Managers = new Map();
  for (const [identity, managed] of managers) {
    const fields = reconcile(shape, managed.fields);
    reconciled.set(identity, fields === managed.fields ? managed : { ...managed, fields });
  }
  return reconciled;
}

function reconcile(shape: Shape, fields: FieldSet): FieldSet {
  if (fields.fitsShape === shape) return fields;
  const atomic = new FieldSet();
  findAtomic(shape, fields, [], atomic);
  if (!atomic.isEmpty) return fields.recursiveDifference(atomic).union(atomic);
  fields.fitsShape = shape;
  return fields;
}

function findAtomic(shape: Shape, fields: FieldSet, path: FieldPath, found: FieldSet): void {
  if (shape.acceptsAny === true) return;
  const whole = shape.map !== undefined ? shape.map.atomic : shape.list?.atomic;
  if (whole === true) {
    found.insert(path);
    return;
  }
  for (const { element, below } of fields.members()) {
    if (below === undefined) continue;
    if (element.type === 'field' && shape.map !== undefined) {
      findAtomic(memberShape(shape.map, element.name), below, [...path, element], found);
    } else if (element.type !== 'field' && shape.list !== undefined) {
      findAtomic(shape.list.item, below, [...path, element], found);
    }
  }
}
