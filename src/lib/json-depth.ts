import type { JsonValue } from './json-value.ts';

/** No function here calls itself deeper than that: any document can be asked, and the stack is not endless. */
const mostCalls = 500;

/** Whether containers stand in containers more than `levels` deep. */
export function isNestedDeeper(value: JsonValue, levels: number): boolean {
  let layer = [value];
  for (let left = levels; ; ) {
    const step = Math.min(left, mostCalls);
    const below: JsonValue[] = [];
    for (const container of layer) collectBelow(container, step, below);
    if (below.length === 0) return false;
    if (step === left) return true;
    left -= step;
    layer = below;
  }
}

/** Adds the containers that stand `levels` below; of those deeper still nothing is looked at. */
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
