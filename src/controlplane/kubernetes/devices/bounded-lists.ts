import { isJsonObject, type JsonValue } from '@flotilla/json';
import { duplicate, type FieldError, tooMany } from '../../../api/field-error.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import { listOf } from '../rules/checks.ts';
import { duplicateStruct } from '../rules/field-rules.ts';

type ItemErrors = (item: JsonValue, path: string) => Iterable<FieldError>;

/** Returns the errors of a list with a maximum length. If the list is longer, its items are not checked. */
export function* listErrors(
  value: JsonValue | undefined,
  path: string,
  max: number,
  errorsOf: ItemErrors,
): Generator<FieldError> {
  const items = listOf(value);
  if (items.length > max) {
    yield tooMany(path, items.length, max);
    return;
  }
  for (const [index, item] of items.entries()) yield* errorsOf(item, indexPath(path, index));
}

/** The rules of a list whose items must have different keys. */
interface SetRules {
  readonly max: number;
  /** Returns the key of an item, in the form in which the error about a duplicate key shows it. */
  keyOf(item: JsonValue): JsonValue;
  readonly errorsOf: ItemErrors;
}

/** Returns the errors of a list whose items must have different keys. */
export function* setErrors(value: JsonValue | undefined, path: string, rules: SetRules): Generator<FieldError> {
  const items = listOf(value);
  yield* listErrors(value, path, rules.max, rules.errorsOf);
  if (items.length > rules.max) return;
  const known = new Set<string>();
  for (const [index, item] of items.entries()) {
    const key = rules.keyOf(item);
    const text = JSON.stringify(key);
    const at = indexPath(path, index);
    if (known.has(text)) yield isJsonObject(key) ? duplicateStruct(at, key) : duplicate(at, key);
    known.add(text);
  }
}
