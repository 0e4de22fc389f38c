import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';

/** Documents nested deeper are refused here: whatever reads them next would have to recurse as deep. */
const maxDepth = 2_000;

/**
 * The bytes of a value's compact JSON, or undefined once they exceed `limit` or the value is nested too deep. Stops
 * counting there, so its time is bounded by the limit.
 */
export function jsonSize(value: JsonValue, limit: number): number | undefined {
  const waiting: { value: JsonValue; depth: number }[] = [{ value, depth: 0 }];
  let size = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.depth > maxDepth) return undefined;
    const depth = next.depth + 1;
    if (Array.isArray(next.value)) {
      size += punctuation(next.value.length);
      if (size > limit) return undefined;
      for (const item of next.value) waiting.push({ value: item, depth });
    } else if (isJsonObject(next.value)) {
      const members = Object.entries(next.value);
      size += punctuation(members.length);
      for (const [key, member] of members) {
        size += textSize(key) + 1;
        waiting.push({ value: member, depth });
      }
    } else if (typeof next.value === 'string') {
      size += textSize(next.value);
    } else {
      size += String(next.value).length;
    }
    if (size > limit) return undefined;
  }
  return size;
}

/** The brackets and the commas between `items`. */
function punctuation(items: number): number {
  return 2 + Math.max(items - 1, 0);
}

function textSize(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
