import { skipJson } from '../lib/json-skip.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../lib/json-value.ts';
import { fieldsOfText, latestFields } from './apply/known-fields.ts';
import { metadataAt } from './stored-text.ts';

/**
 * Stored records without their field ownership, and with it again. The FieldsV1 of most objects of a kind are the same:
 * to find that takes a comparison of texts, to read them is most of what takes long to parse.
 */

/** Stands for a FieldsV1 that is left out; none is a number. */
export const leftOut = 0;

interface Split {
  /** The record with `leftOut` in place of each FieldsV1. */
  readonly text: string;
  /** In the order of the entries. */
  readonly fields: readonly JsonObject[];
}

const entriesMember = '"managedFields":[';
const fieldsMember = '"fieldsV1":';

/** Undefined: it has none. */
export function splitFields(text: string): Split | undefined {
  const metadata = metadataAt(text);
  // Labels and annotations of that name are texts, and in a text the quotes would be escaped.
  const found = metadata === -1 ? -1 : text.indexOf(entriesMember, metadata);
  if (found === -1) return undefined;
  const fields: JsonObject[] = [];
  let short = '';
  let taken = 0;
  let at = found + entriesMember.length;
  while (text.startsWith('{"', at)) {
    do {
      const keyAt = at + 1;
      const valueAt = skipJson(text, keyAt) + 1;
      if (!text.startsWith(fieldsMember, keyAt) || text[valueAt] !== '{') {
        at = skipJson(text, valueAt);
        continue;
      }
      at = endOfFields(text, valueAt, fields);
      short += text.slice(taken, valueAt) + leftOut;
      taken = at;
    } while (text[at] === ',');
    at += text[at + 1] === ',' ? 2 : 1;
  }
  return fields.length === 0 ? undefined : { text: short + text.slice(taken), fields };
}

function endOfFields(text: string, at: number, found: JsonObject[]): number {
  const latest = latestFields();
  const latestEnd = at + (latest?.text.length ?? 0);
  // Texts of equal length are compared several times as fast as one is looked for in another.
  if (latest !== undefined && text.slice(at, latestEnd) === latest.text) {
    found.push(latest.fields);
    return latestEnd;
  }
  const end = skipJson(text, at);
  found.push(fieldsOfText(text.slice(at, end)));
  return end;
}

/** Puts them back, in place. False: they are not this object's; somewhere in it stands what looks the same. */
export function putFields(object: JsonValue | undefined, fields: readonly JsonObject[]): boolean {
  const metadata = isJsonObject(object) ? object.metadata : undefined;
  const entries = isJsonObject(metadata) ? metadata.managedFields : undefined;
  if (!Array.isArray(entries)) return false;
  let next = 0;
  for (const entry of entries) {
    if (!isJsonObject(entry) || entry.fieldsV1 !== leftOut) continue;
    const own = fields[next++];
    if (own !== undefined) entry.fieldsV1 = own;
  }
  return next === fields.length;
}

const leftOutMember = `${fieldsMember}${leftOut}`;

/** The text of a record, of a text in which each FieldsV1 is left out. */
export function joinFields(text: string, fields: readonly string[]): string {
  let joined = '';
  let taken = 0;
  let at = metadataAt(text);
  for (const own of fields) {
    at = text.indexOf(leftOutMember, at);
    if (at === -1) throw new Error('field ownership that belongs nowhere');
    at += leftOutMember.length - 1;
    joined += text.slice(taken, at) + own;
    taken = ++at;
  }
  return joined + text.slice(taken);
}
