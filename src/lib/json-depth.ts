import type { JsonValue } from './json-value.ts';

/** Whether containers stand in containers more than `levels` deep. Keeps its own list, so any document can be asked. */
export function isNestedDeeper(value: JsonValue, levels: number): boolean {
  let layer = containersIn([value]);
  for (let depth = 1; layer.length > 0; depth++) {
    if (depth > levels) return true;
    layer = layer.flatMap(containersIn);
  }
  return false;
}

function containersIn(container: object): object[] {
  return Object.values(container).filter((member) => typeof member === 'object' && member !== null);
}
