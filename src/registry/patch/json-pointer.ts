/**
 * The steps of a JSON pointer (RFC 6901), unescaped; undefined if it is none. The empty pointer is the document and
 * has no steps.
 */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  const steps = pointer.split('/').slice(1);
  return pointer.includes('~') ? steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')) : steps;
}

const integer = /^[+-]?\d+$/;

/**
 * The place in an array of `length` that a step means, or undefined. Negative steps count from the end, as
 * kube-apiserver's library does: -1 is the last place.
 */
export function arrayIndex(step: string, length: number): number | undefined {
  if (!integer.test(step)) return undefined;
  const index = Number(step);
  const place = index < 0 ? index + length : index;
  return place >= 0 && place < length ? place : undefined;
}
