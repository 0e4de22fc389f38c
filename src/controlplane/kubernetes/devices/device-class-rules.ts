import { isJsonObject, type JsonValue } from '@flotilla/json';
import { type FieldError, invalid } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { objectAt, textOf } from '../rules/checks.ts';
import { isExtended } from '../rules/resource-checks.ts';
import { listErrors } from './bounded-lists.ts';
import { configurationErrors, maxConfigurations } from './device-configuration.ts';
import { compileSelectors, selectorErrors } from './device-selectors.ts';

/** Returns the errors of a device class. */
export async function deviceClassErrors(object: KubeObject): Promise<FieldError[]> {
  const spec = objectAt(object as JsonValue, 'spec');
  const faults = await compileSelectors(spec);
  const { config, extendedResourceName } = spec;
  const name = textOf(extendedResourceName);
  const isWrong = extendedResourceName !== undefined && !isExtended(name);
  return [
    ...selectorErrors(spec, 'spec', faults),
    ...listErrors(config, 'spec.config', maxConfigurations, (item, path) =>
      isJsonObject(item) ? configurationErrors(item, path) : [],
    ),
    ...(isWrong ? [invalid('spec.extendedResourceName', name, 'must be a valid extended resource name')] : []),
  ];
}
