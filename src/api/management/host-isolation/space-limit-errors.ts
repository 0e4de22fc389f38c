import type { FieldError } from '../../field-error.ts';
import type { SpaceDefinition } from '../v1/space-definition.ts';
import { hostIsolationErrors, type Quantities } from './host-isolation.ts';

/** Returns the errors of the quota and the limits in the definition of a space. Accepts template expressions. */
export function spaceLimitErrors(definition: SpaceDefinition, field: string): FieldError[] {
  return limitErrors(definition, field, withoutExpressions);
}

/**
 * Returns the errors of the quota and the limits in a rendered definition. They are checked again after rendering,
 * because a parameter can contain any text.
 */
export function renderedLimitErrors(definition: SpaceDefinition): FieldError[] {
  return limitErrors(definition, '', (quantities) => quantities ?? {});
}

function limitErrors(
  { resourceQuota, limitRange }: SpaceDefinition,
  field: string,
  checked: (quantities: Quantities | undefined) => Quantities,
): FieldError[] {
  const limits = Object.entries(limitRange ?? {}).map(([name, entries]) => [name, checked(entries)]);
  return hostIsolationErrors({ resourceQuota: checked(resourceQuota), limitRange: Object.fromEntries(limits) }, field);
}

function withoutExpressions(quantities: Quantities = {}): Quantities {
  return Object.fromEntries(Object.entries(quantities).filter(([, value]) => !String(value).includes('{{')));
}
