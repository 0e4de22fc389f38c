import { equalJson, type JsonValue } from '@flotilla/json';
import type { DefinitionSpec, DefinitionVersion } from './definition.ts';

/** Fields of a version that Kubernetes also allows at the top of a definition, where they apply to all versions. */
export type SharedVersionFields = Pick<
  DefinitionVersion,
  'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'
>;

const sharedMembers = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

/**
 * A definition as Kubernetes represents it internally. Fields that are equal in all versions are moved to the top
 * (`spec.validation`, `spec.subresources` …). Kubernetes validates this form, so its errors contain these paths.
 */
export interface InternalForm {
  readonly shared: SharedVersionFields;
  readonly versions: readonly DefinitionVersion[];
}

export function toInternalForm({ versions = [] }: DefinitionSpec): InternalForm {
  const first = versions[0];
  if (first === undefined) return { shared: {}, versions };
  const same = sharedMembers.filter((member) =>
    versions.every((version) => equalJson(version[member] as JsonValue, first[member] as JsonValue)),
  );
  const shared = Object.fromEntries(same.map((member) => [member, first[member]])) as SharedVersionFields;
  const others = versions.map(
    (version) =>
      Object.fromEntries(
        Object.entries(version).filter(([member]) => !(same as readonly string[]).includes(member)),
      ) as DefinitionVersion,
  );
  return { shared, versions: others };
}
