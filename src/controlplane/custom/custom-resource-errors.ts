import type { JsonValue } from '@flotilla/json';
import type { ScaleSubresource } from '../../api/apiextensions/definition.ts';
import { type FieldError, invalid } from '../../api/field-error.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { validateChanged } from '../../api/schema/validate-changed.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { Draft } from '../../registry/resource.ts';
import type { LazyRules } from './lazy-rules.ts';
import { scaleSpecErrors, scaleStatusErrors } from './scale-errors.ts';

/** The validation of custom resources of one version: the schema, the scale paths and the CEL rules. */
export interface CustomVersionValidation {
  readonly schema: Schema;
  readonly scale: ScaleSubresource | undefined;
  readonly rules: LazyRules | undefined;
}

export function customResourceErrors(
  version: CustomVersionValidation,
  draft: Draft,
  context: RequestContext,
): readonly FieldError[] | Promise<readonly FieldError[]> {
  const { object, old } = draft;
  const { scale, rules } = version;
  const errors = scale === undefined ? [] : [...scaleSpecErrors(scale, object), ...scaleStatusErrors(scale, object)];
  if (rules === undefined) return errors;
  const schemaErrors = [...validateChanged(version.schema, object, old?.object, ''), ...errors];
  return ruleErrors(rules, schemaErrors, draft, context).then((ruleFailures) => [...errors, ...ruleFailures]);
}

/** Returns the errors of a status update. Also evaluates the CEL rules on the whole object (STATUS-05). */
export async function customStatusErrors(
  version: CustomVersionValidation,
  draft: Draft,
  context: RequestContext,
): Promise<readonly FieldError[]> {
  const { object, old } = draft;
  const errors = version.scale === undefined ? [] : scaleStatusErrors(version.scale, object);
  if (version.rules === undefined) return errors;
  const status = version.schema.properties?.status;
  const schemaErrors =
    status === undefined || object.status === undefined
      ? []
      : validateChanged(status, object.status, old?.object.status, 'status');
  return [...errors, ...(await ruleErrors(version.rules, [...schemaErrors, ...errors], draft, context))];
}

/**
 * Types of schema errors after which CEL rules are not evaluated, because the values that the rules use may be invalid.
 */
const blockingTypes: ReadonlySet<FieldError['type']> = new Set<FieldError['type']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

/** Rule META-22: reported if CEL rules were not evaluated because of schema errors. */
const notChecked = invalid(
  '',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

async function ruleErrors(
  rules: LazyRules,
  schemaErrors: readonly FieldError[],
  { object, old }: Draft,
  context: RequestContext,
): Promise<readonly FieldError[]> {
  const validator = await rules();
  if (validator === undefined) return [];
  if (schemaErrors.some(({ type }) => blockingTypes.has(type))) return [notChecked];
  return validator.validate(object as JsonValue, {
    ...(old === undefined ? {} : { old: old.object as JsonValue }),
    warn: (text) => context.warn(text),
    ...(context.nextTimeSlice === undefined ? {} : { nextTimeSlice: context.nextTimeSlice }),
  });
}
