import { type FieldError, invalid } from '../../api/field-error.ts';
import { priceListKind } from '../../api/management/v1/usage/price-list.ts';
import { priceListName } from '../../api/usage/usage-periods.ts';
import { defineResource, type StoredResource } from '../../registry/resource.ts';

export function priceListResource(): StoredResource {
  return defineResource({
    ...priceListKind,
    hasStatus: false,
    gracePeriods: true,
    validate: ({ object }) => nameErrors(object.metadata.name ?? ''),
  });
}

function nameErrors(name: string): FieldError[] {
  if (name === priceListName) return [];
  return [invalid('metadata.name', name, `must be "${priceListName}": there is only one price list`)];
}
