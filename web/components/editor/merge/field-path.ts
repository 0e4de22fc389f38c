/** The path to a field of a document: member names and list indexes. */
export type FieldPath = readonly (string | number)[];

const plainName = /^[A-Za-z0-9_$-]+$/;

/**
 * Returns the path as the server writes it: `spec.parameters[0].type`. Member names with special characters are written
 * in brackets.
 */
export function fieldPathText(steps: FieldPath): string {
  let text = '';
  for (const step of steps) {
    if (typeof step === 'number' || !plainName.test(step)) text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

export function isSamePath(a: FieldPath, b: FieldPath): boolean {
  return a.length === b.length && a.every((step, at) => step === b[at]);
}
