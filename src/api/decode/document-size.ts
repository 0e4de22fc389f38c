import { type JsonValue, maxValues } from '@flotilla/json';
import { requestTooLarge } from '../status.ts';

/**
 * The maximum number of members of one object or map, such as the keys of a ConfigMap. No real object has more.
 * Processing an object with tens of thousands of members takes several times as long as processing the same number of
 * values in smaller objects.
 */
export const maxMembers = 10_000;

/**
 * The minimum length of a document that can exceed a limit. A value takes at least two bytes, and a member at least
 * five.
 */
const minBytes = Math.min(2 * maxValues, 5 * maxMembers);

/**
 * Throws 413 if a document that a client sent has too many values, or an object with too many members. `bytes` is the
 * length of the document.
 */
export function checkSentDocument(value: JsonValue, bytes: number): void {
  if (bytes >= minBytes) checkDocumentSize(value);
}

/** Throws 413 if a document has too many values, or an object with too many members. */
export function checkDocumentSize(document: JsonValue): void {
  const pending: JsonValue[] = [document];
  let values = 0;
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const items = Array.isArray(value) ? value : Object.values(value);
    if (!Array.isArray(value) && items.length > maxMembers) {
      throw requestTooLarge(`an object in it has ${items.length} members, and at most ${maxMembers} are allowed`);
    }
    values += items.length;
    if (values > maxValues) throw requestTooLarge(`it has more than ${maxValues} values`);
    for (const item of items) if (typeof item === 'object' && item !== null) pending.push(item);
  }
}
