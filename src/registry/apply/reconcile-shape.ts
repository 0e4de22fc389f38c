import { FieldSet } from './field-set.ts';
import type { Managers } from './managers.ts';
import type { FieldPath } from './path-element.ts';
import type { Shape } from './shape.ts';
import { memberShape } from './typed.ts';

/**
 * Sets that were written when a list or map still merged by its parts name those parts; where the schema now says
 * atomic, their owner owns the whole instead.
 */
export function reconcileManagers(shape: Shape, managers: Managers): Managers {
  return new Map([...managers].map(([id, managed]) => [id, { ...managed, fields: reconcile(shape, managed.fields) }]));
}

function reconcile(shape: Shape, fields: FieldSet): FieldSet {
  const atomic = new FieldSet();
  findAtomic(shape, fields, [], atomic);
  return atomic.isEmpty ? fields : fields.recursiveDifference(atomic).union(atomic);
}

function findAtomic(shape: Shape, fields: FieldSet, path: FieldPath, found: FieldSet): void {
  if (shape.anything === true) return;
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
