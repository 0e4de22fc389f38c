import { type FieldError, forbiddenField, notSupported, required } from '../field-error.ts';
import { childPath } from '../schema/field-path.ts';
import type { Conversion } from './definition.ts';

/**
 * Validates `spec.conversion`. Only the strategy None is supported, which changes only the apiVersion of an object. The
 * server never calls conversion webhooks.
 */
export function conversionErrors(conversion: Conversion | undefined, path: string): FieldError[] {
  if (conversion === undefined) return [];
  const { strategy = '', webhook } = conversion;
  const field = childPath(path, 'strategy');
  if (strategy === '') return [required(field)];
  if (strategy !== 'None') {
    return [notSupported(field, strategy, strategy === 'Webhook' ? ['None'] : ['None', 'Webhook'])];
  }
  const errors: FieldError[] = [];
  const detail = 'should not be set when strategy is not set to Webhook';
  if (webhook?.clientConfig !== undefined) errors.push(forbiddenField(childPath(path, 'webhookClientConfig'), detail));
  if ((webhook?.conversionReviewVersions ?? []).length > 0) {
    errors.push(forbiddenField(childPath(path, 'conversionReviewVersions'), detail));
  }
  return errors;
}
