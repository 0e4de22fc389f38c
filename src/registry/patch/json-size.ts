import { isJsonObject, type JsonValue } from '@flotilla/json';

/** The maximum nesting depth. Deeper values are rejected, because the code that copies them later is recursive. */
const maxDepth = 2_000;

/**
 * Returns the size of a value's compact JSON in bytes; `undefined` if the size exceeds `limit` or the value is nested
 * too deeply. Counting stops at `limit`, so `limit` also bounds the run time.
 */
export function jsonSize(value: JsonValue, limit: number): number | undefined {
  const pending: { value: JsonValue; depth: number }[] = [{ value, depth: 0 }];
  let size = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.depth > maxDepth) return undefined;
    const depth = next.depth + 1;
    if (Array.isArray(next.value)) {
      size += punctuation(next.value.length);
      if (size > limit) return undefined;
      for (const item of next.value) pending.push({ value: item, depth });
    } else if (isJsonObject(next.value)) {
      const members = Object.entries(next.value);
      size += punctuation(members.length);
      for (const [key, member] of members) {
        size += textSize(key) + 1;
        pending.push({ value: member, depth });
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

/** Returns the number of bytes for the brackets around `items` items and the commas between them. */
function punctuation(items: number): number {
  return 2 + Math.max(items - 1, 0);
}

function textSize(text: string): number {
  return Buffer.byteLength(JSON.stringify(text));
}
