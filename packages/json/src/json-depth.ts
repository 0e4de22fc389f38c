import type { JsonValue } from './json-value.ts';

/** The maximum recursion depth. Deeper documents are processed in several passes, because the stack is limited. */
const maxRecursion = 500;

/** True if objects and arrays are nested more than `levels` deep. */
export function isNestedDeeper(value: JsonValue, levels: number): boolean {
  let layer = [value];
  for (let left = levels; ; ) {
    const step = Math.min(left, maxRecursion);
    const below: JsonValue[] = [];
    for (const container of layer) collectBelow(container, step, below);
    if (below.length === 0) return false;
    if (step === left) return true;
    left -= step;
    layer = below;
  }
}

/** Collects the objects and arrays that are exactly `levels` below the value. Does not visit deeper ones. */
function collectBelow(value: JsonValue, levels: number, found: JsonValue[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (levels === 0) {
    found.push(value);
  } else if (Array.isArray(value)) {
    for (const item of value) collectBelow(item, levels - 1, found);
  } else {
    for (const name in value) collectBelow(value[name] as JsonValue, levels - 1, found);
  }
}

/** True if objects and arrays in a JSON text are nested more than `levels` deep. Does not parse or check the text. */
export function isTextNestedDeeper(text: string, levels: number): boolean {
  let depth = 0;
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at++;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{' || character === '[') {
      if (++depth > levels) return true;
    } else if (character === '}' || character === ']') depth--;
  }
  return false;
}
