import type { FieldError } from '../../api/field-error.ts';
import { spaceLimitErrors } from '../../api/management/host-isolation/space-limit-errors.ts';
import type { SpaceDefinition } from '../../api/management/v1/space-definition.ts';
import type { ManagementSettings } from '../settings.ts';
import { entryLimitErrors } from './entry-limit.ts';
import { namespacedObjectErrors, reservedLabelErrors } from './template-errors.ts';
import { TemplateSyntaxCheck } from './template-syntax.ts';

/**
 * Validates the definition of a space, inline or in a template. Does not replace the template parameters in the
 * definition by values.
 */
export function spaceDefinitionErrors(
  definition: SpaceDefinition | undefined,
  field: string,
  _settings: ManagementSettings,
  syntax = new TemplateSyntaxCheck(),
): FieldError[] {
  const { metadata, objects = '', access } = definition ?? {};
  return [
    ...namespacedObjectErrors(objects, `${field}.objects`),
    ...reservedLabelErrors(metadata?.labels, `${field}.metadata.labels`),
    ...entryLimitErrors(access, `${field}.access`),
    ...spaceLimitErrors(definition ?? {}, field),
    ...syntax.errors(definition, field),
  ];
}
