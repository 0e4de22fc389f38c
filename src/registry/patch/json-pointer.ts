/**
 * Returns the unescaped steps of a JSON pointer (RFC 6901); `undefined` if the pointer is invalid. The empty pointer
 * refers to the whole document and has no steps.
 */
export function parsePointer(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/')) return undefined;
  const steps = pointer.split('/').slice(1);
  return pointer.includes('~') ? steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')) : steps;
}

const integer = /^[+-]?\d+$/;

/**
 * Returns the index that a pointer step refers to in an array of `length` items; `undefined` if there is no such index.
 * Negative steps count from the end, as in the library of kube-apiserver: -1 is the last item.
 */
export function arrayIndex(step: string, length: number): number | undefined {
  if (!integer.test(step)) return undefined;
  const index = Number(step);
  const position = index < 0 ? index + length : index;
  return position >= 0 && position < length ? position : undefined;
}
