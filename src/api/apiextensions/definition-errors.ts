import { equalJson, type JsonValue } from '@flotilla/json';
import { dns1035LabelFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { type FieldError, invalid, notSupported, required, tooMany } from '../field-error.ts';
import { childPath, indexPath } from '../schema/field-path.ts';
import { approvalErrors } from './api-approval.ts';
import { conversionErrors } from './conversion-errors.ts';
import { type Definition, type DefinitionVersion, isConditionTrue } from './definition.ts';
import { goStructOfVersions, invalidStruct } from './go-struct-form.ts';
import { type InternalForm, type SharedVersionFields, toInternalForm } from './internal-form.ts';
import { missingNameErrors, nameErrors } from './name-errors.ts';
import { columnListErrors, deprecationErrors, selectableFieldErrors, subresourceErrors } from './version-errors.ts';
import { type DefinitionChecks, wholeSchemaErrors } from './whole-schema-errors.ts';

/**
 * Returns all validation errors of a CustomResourceDefinition except those of its metadata, with the paths and messages
 * of Kubernetes. `old` is the previous definition; it is absent on creation.
 */
export async function definitionErrors(
  definition: Definition,
  old: Definition | undefined,
  checks: DefinitionChecks,
): Promise<FieldError[]> {
  const { spec, status, metadata } = definition;
  const form = toInternalForm(spec);
  const errors: FieldError[] = [];
  if (
    old === undefined &&
    (metadata.name ?? '') !== '' &&
    metadata.name !== `${spec.names?.plural ?? ''}.${spec.group ?? ''}`
  ) {
    errors.push(invalid('metadata.name', metadata.name ?? '', 'must be spec.names.plural+"."+spec.group'));
  }
  errors.push(...(await specErrors(definition, old, form, checks)));
  if (old !== undefined) errors.push(...immutableErrors(definition, old));
  errors.push(...nameErrors(status.acceptedNames ?? {}, 'status.acceptedNames'));
  errors.push(...storedVersionErrors(definition));
  errors.push(...approvalErrors(definition, old));
  if (spec.preserveUnknownFields === true && old?.spec.preserveUnknownFields !== true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid('spec.preserveUnknownFields', true, detail));
  }
  return errors;
}

/** The maximum number of versions. Each is a kind of its own, with discovery and OpenAPI documents. */
const maxVersions = 100;

async function specErrors(
  definition: Definition,
  old: Definition | undefined,
  { shared, versions }: InternalForm,
  checks: DefinitionChecks,
): Promise<FieldError[]> {
  const { spec } = definition;
  const { group = '', scope = '', names = {} } = spec;
  if (versions.length > Math.max(maxVersions, old?.spec.versions?.length ?? 0)) {
    return [tooMany('spec.versions', versions.length, maxVersions)];
  }
  const errors: FieldError[] = [];
  if (group === '') errors.push(required('spec.group'));
  else if (subdomainFaults(group).length > 0) {
    errors.push(invalid('spec.group', group, subdomainFaults(group).join(',')));
  } else if (!group.includes('.')) {
    errors.push(invalid('spec.group', group, 'should be a domain with at least one dot'));
  }
  if (scope === '') errors.push(required('spec.scope'));
  else if (scope !== 'Cluster' && scope !== 'Namespaced') {
    errors.push(notSupported('spec.scope', scope, ['Cluster', 'Namespaced']));
  }
  if (shared.schema?.openAPIV3Schema === undefined) {
    versions.forEach(({ schema }, index) => {
      const field = `${indexPath('spec.versions', index)}.schema.openAPIV3Schema`;
      if (schema?.openAPIV3Schema === undefined) errors.push(required(field));
    });
  }
  const context = { ...checks, old, hasStatus: hasAnyStatus(shared, versions) };
  for (const [index, version] of versions.entries()) {
    const path = indexPath('spec.versions', index);
    const { name = '' } = version;
    const faults = dns1035LabelFaults(name);
    if (faults.length > 0) errors.push(invalid(childPath(path, 'name'), name, faults.join(',')));
    errors.push(...deprecationErrors(version, path));
    const subresources = version.subresources ?? shared.subresources;
    const own = { ...context, hasStatus: subresources?.status !== undefined };
    errors.push(...(await versionFieldErrors(version, { path, schemaName: 'schema', versions: [name] }, own)));
  }
  errors.push(...versionListErrors(spec.versions === undefined ? null : goStructOfVersions(versions), versions));
  errors.push(...missingNameErrors(names, 'spec.names'), ...nameErrors(names, 'spec.names'));
  const all = versions.map(({ name = '' }) => name);
  errors.push(
    ...(await versionFieldErrors(shared, { path: 'spec', schemaName: 'validation', versions: all }, context)),
  );
  errors.push(...conversionErrors(spec.conversion, 'spec.conversion'));
  return errors;
}

interface FieldsContext extends DefinitionChecks {
  readonly old: Definition | undefined;
  readonly hasStatus: boolean;
}

/**
 * The location of the fields that `versionFieldErrors` validates: in one version, or at the top of the spec if all
 * versions have the same values.
 */
interface FieldsLocation {
  readonly path: string;
  /** The name of the schema field in error paths: `schema` in a version, `validation` at the top. */
  readonly schemaName: 'schema' | 'validation';
  /** The names of the versions to which the fields apply. */
  readonly versions: readonly string[];
}

async function versionFieldErrors(
  fields: SharedVersionFields,
  { path, schemaName, versions }: FieldsLocation,
  context: FieldsContext,
): Promise<FieldError[]> {
  const errors: FieldError[] = [];
  const schema = fields.schema?.openAPIV3Schema;
  const before = context.old?.spec.versions?.find(({ name }) => versions.includes(name ?? ''));
  if (schema !== undefined) {
    const at = childPath(path, schemaName);
    errors.push(...(await wholeSchemaErrors(schema, at, { ...context, old: before?.schema?.openAPIV3Schema })));
  }
  if (fields.subresources !== undefined) {
    errors.push(...subresourceErrors(fields.subresources, childPath(path, 'subresources')));
  }
  const { additionalPrinterColumns: columns = [] } = fields;
  errors.push(
    ...columnListErrors(columns, before?.additionalPrinterColumns, childPath(path, 'additionalPrinterColumns')),
  );
  const { selectableFields = [] } = fields;
  if (selectableFields.length === 0) return errors;
  const field = childPath(path, 'selectableFields');
  if (schema === undefined) {
    const detail =
      schemaName === 'validation'
        ? 'may only be set when validations.schema is included'
        : 'may only be set when `version.schema.openAPIV3Schema` is not included';
    errors.push(invalid(field, '', detail));
  } else {
    const same = equalJson(before?.selectableFields as JsonValue | undefined, selectableFields as JsonValue);
    errors.push(...selectableFieldErrors(selectableFields, schema, field, same));
  }
  return errors;
}

function hasAnyStatus(shared: SharedVersionFields, versions: readonly DefinitionVersion[]): boolean {
  return [shared, ...versions].some(({ subresources }) => subresources?.status !== undefined);
}

function versionListErrors(shown: JsonValue, versions: readonly DefinitionVersion[]): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set(versions.map(({ name = '' }) => name));
  const about = (detail: string) => invalidStruct('spec.versions', shown, detail);
  if (names.size < versions.length) errors.push(about('must contain unique version names'));
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    errors.push(about('must have exactly one version marked as storage version'));
  }
  // Kubernetes reports errors in the name of the first version at spec.version, the field that contained the only
  // version in old definitions.
  const first = versions[0]?.name ?? '';
  const faults = first === '' ? [] : dns1035LabelFaults(first);
  if (faults.length > 0) errors.push(invalid('spec.version', first, faults.join(',')));
  return errors;
}

/** Reports changes to fields that determine the store keys of the custom resources. These fields are immutable. */
function immutableErrors({ spec }: Definition, old: Definition): FieldError[] {
  const errors: FieldError[] = [];
  const unchanged = (field: string, value: string | undefined, before: string | undefined) => {
    if ((value ?? '') !== (before ?? '')) errors.push(invalid(field, value ?? '', 'field is immutable'));
  };
  if (isConditionTrue(old, 'Established')) {
    unchanged('spec.scope', spec.scope, old.spec.scope);
    unchanged('spec.names.kind', spec.names?.kind, old.spec.names?.kind);
  }
  unchanged('spec.group', spec.group, old.spec.group);
  unchanged('spec.names.plural', spec.names?.plural, old.spec.names?.plural);
  return errors;
}

function storedVersionErrors({ spec, status }: Definition): FieldError[] {
  const field = 'status.storedVersions';
  const stored = status.storedVersions ?? [];
  const shown: JsonValue = stored.length === 0 ? null : [...stored];
  if (stored.length === 0) return [invalid(field, shown, 'must have at least one stored version')];
  const errors: FieldError[] = [];
  const { versions = [] } = spec;
  for (const { name = '', storage } of versions) {
    if (storage === true && !stored.includes(name)) {
      errors.push(invalid(field, shown, `must have the storage version ${name}`));
    }
  }
  stored.forEach((name, index) => {
    if (versions.some((version) => version.name === name)) return;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(indexPath(field, index), name, detail));
  });
  return errors;
}
