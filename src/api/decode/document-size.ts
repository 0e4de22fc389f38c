import { type JsonValue, maxValues } from '@flotilla/json';
import { requestTooLarge } from '../status.ts';

/**
 * The maximum number of members of one object or map, such as the keys of a ConfigMap. Processing an object with tens of
 * thousands of members takes several times as long as processing as many values in smaller objects. No real object has
 * as many.
 */
export const maxMembers = 10_000;

/** A shorter document has neither too many values nor too many members: each takes at least two or five bytes. */
const minBytes = Math.min(2 * maxValues, 5 * maxMembers);

/** Throws 413 if a document that a client sent has too many members. `bytes` is its length. */
export function checkSentDocument(value: JsonValue, bytes: number): void {
  if (bytes >= minBytes) checkDocumentSize(value);
}

/** Throws 413 if a document has too many values, or an object in it too many members. */
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
