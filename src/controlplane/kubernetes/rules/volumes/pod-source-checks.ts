import { isJsonObject } from '@flotilla/json';
import { parseQuantity } from '@flotilla/kubernetes-formats';
import { forbiddenField, required } from '../../../../api/field-error.ts';
import { childPath } from '../../../../api/schema/field-path.ts';
import { each, exactlyOneOf, isRequired, listOf, textOf } from '../checks.ts';
import { structChecks } from '../member-checks.ts';
import type { Check } from '../object-rules.ts';
import { claimTemplateErrors } from './claim-template-rules.ts';
import { downwardFileErrors } from './downward-files.ts';
import { fileMode, relativePath } from './path-checks.ts';
import { keyToPath } from './projected-checks.ts';

/** Sources of volumes that only pods have. */

const sizeLimit: Check = function* (value, { path }) {
  if (typeof value === 'string' && parseQuantity(value).billionths < 0n) {
    yield forbiddenField(path, 'SizeLimit field must be a valid resource quantity');
  }
};

export const emptyDir = structChecks({ sizeLimit: [sizeLimit] });
export const gitRepo = structChecks({ repository: [isRequired()], directory: [relativePath] });

const files = { defaultMode: [fileMode], items: [each(keyToPath)] };

export const secret = structChecks({ secretName: [isRequired()], ...files });
export const configMap = structChecks({ name: [isRequired()], ...files });
export const persistentVolumeClaim = structChecks({ claimName: [isRequired()] });

export const downwardApi: Check = function* (value, position) {
  yield* structChecks({ defaultMode: [fileMode] })(value, position);
  const items = isJsonObject(value) ? listOf(value.items) : [];
  for (const file of items) if (isJsonObject(file)) yield* downwardFileErrors(file, position);
};

export const ephemeral: Check = (value, { path }) => {
  const template = isJsonObject(value) ? value.volumeClaimTemplate : undefined;
  const at = childPath(path, 'volumeClaimTemplate');
  return isJsonObject(template) ? claimTemplateErrors(template, at) : [required(at)];
};

const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const pullPolicy: Check = (value, position) =>
  textOf(value) === '' ? [required(position.path)] : exactlyOneOf(...pullPolicies)(value, position);

/**
 * The check of a volume with the files of an image. The image reference is not required here: pod templates may omit
 * it, and only pods need it.
 */
export const image = structChecks({ pullPolicy: [pullPolicy] });
