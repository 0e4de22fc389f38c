import { byteLength, labelValueFaults, qualifiedNameFaults } from '@flotilla/kubernetes-formats';
import { maxErrors } from '../bounded-errors.ts';
import { type FieldError, invalid, tooLong } from '../field-error.ts';

/** Validates labels. All errors have the path `field`, without the key of the label (rules META-05 to META-07). */
export function validateLabels(labels: Readonly<Record<string, string>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key in labels) {
    const value = labels[key] ?? '';
    for (const fault of qualifiedNameFaults(key)) errors.push(invalid(field, key, fault));
    for (const fault of labelValueFaults(value)) errors.push(invalid(field, value, fault));
    if (errors.length >= maxErrors) break;
  }
  return errors;
}

const annotationBytes = 262_144;

/**
 * Validates annotations. Their keys follow the rules for label keys, but may contain upper case letters. Only the total
 * size of all annotations is limited (META-08, META-09).
 */
export function validateAnnotations(annotations: Readonly<Record<string, string>>, field: string): FieldError[] {
  const errors: FieldError[] = [];
  let characters = 0;
  for (const key in annotations) {
    if (errors.length < maxErrors)
      for (const fault of annotationKeyFaults(key)) errors.push(invalid(field, key, fault));
    characters += key.length + (annotations[key] ?? '').length;
  }
  // A UTF-16 unit takes at most three bytes in UTF-8, so the bytes of most annotations need not be counted.
  if (3 * characters > annotationBytes && bytesOf(annotations) > annotationBytes) {
    errors.push(tooLong(field, annotationBytes));
  }
  return errors;
}

function bytesOf(annotations: Readonly<Record<string, string>>): number {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) bytes += byteLength(key) + byteLength(value);
  return bytes;
}

/**
 * Returns the errors of an annotation key, which is checked in lower case. If the unchanged key has no errors, its
 * lower-case form has none either and is not checked.
 */
function annotationKeyFaults(key: string): readonly string[] {
  return qualifiedNameFaults(key).length === 0 ? [] : qualifiedNameFaults(key.toLowerCase());
}
