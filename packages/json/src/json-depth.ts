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
