import { type FieldError, invalid } from '../../../../api/field-error.ts';
import { numberOf, textOf } from '../checks.ts';
import type { Check } from '../object-rules.ts';

/** Returns an error if a path contains a step to the parent directory (`..`). */
function* parentStepErrors(path: string, at: string): Generator<FieldError> {
  if (path.split('/').includes('..')) yield invalid(at, path, "must not contain '..'");
}

/** A path may not contain steps to the parent directory. */
export const pathWithoutParentSteps: Check = (value, { path }) => parentStepErrors(textOf(value), path);

/** A path must be relative and may not leave its directory. */
export const relativePath: Check = function* (value, { path }) {
  const text = textOf(value);
  if (text.startsWith('/')) yield invalid(path, text, 'must be a relative path');
  yield* parentStepErrors(text, path);
};

/** The path of a file in a volume: relative, and not one of the names that the kubelet reserves. */
export const filePath: Check = function* (value, position) {
  const text = textOf(value);
  yield* relativePath(value, position);
  if (text.startsWith('..') && !text.startsWith('../')) yield invalid(position.path, text, "must not start with '..'");
};

/** A file mode, if it is present. */
export const fileMode: Check = function* (value, { path }) {
  if (value === undefined || (numberOf(value) >= 0 && numberOf(value) <= 0o777)) return;
  yield invalid(path, value, 'must be a number between 0 and 0777 (octal), both inclusive');
};
