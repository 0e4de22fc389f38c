import { isJsonObject, type JsonObject } from '@flotilla/json';
import { type FieldError, invalid, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { isRequired } from '../checks.ts';
import { structChecks } from '../member-checks.ts';
import type { FieldPosition } from '../object-rules.ts';
import { objectFieldErrors, resourceFieldErrors } from './field-references.ts';
import { fileMode, filePath } from './path-checks.ts';

/** The fields of a pod that a downward API file can contain. */
const fields = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];

/**
 * Returns the errors of a downward API file. As in Kubernetes, the paths in these errors do not contain the index of
 * the file.
 */
export function* downwardFileErrors(file: JsonObject, position: FieldPosition): Generator<FieldError> {
  yield* structChecks({ path: [isRequired(), filePath] })(file, position);
  const { fieldRef, resourceFieldRef } = file;
  if (isJsonObject(fieldRef)) {
    yield* objectFieldErrors(fieldRef, childPath(position.path, 'fieldRef'), fields);
    if (isJsonObject(resourceFieldRef)) {
      yield invalid(position.path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously');
    }
  } else if (isJsonObject(resourceFieldRef)) {
    yield* resourceFieldErrors(resourceFieldRef, childPath(position.path, 'resourceFieldRef'), true);
  } else yield required(position.path, 'one of fieldRef and resourceFieldRef is required');
  yield* structChecks({ mode: [fileMode] })(file, position);
}
