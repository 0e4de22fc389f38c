import { createHash } from 'node:crypto';
import { fastPathsEnabled } from '@flotilla/fast-paths';
import type {
  Definition,
  DefinitionNames,
  DefinitionVersion,
  ScaleSubresource,
} from '../../api/apiextensions/definition.ts';
import { printerColumns } from '../../api/apiextensions/printer-columns.ts';
import { DecodeError } from '../../api/decode/decode-error.ts';
import { normalizeEmbeddedResources } from '../../api/decode/normalize-embedded-resources.ts';
import { apiVersionOf, type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { applyDefaultsWithinLimit } from '../../api/schema/default.ts';
import { isNormalizedResource } from '../../api/schema/is-normalized-resource.ts';
import { prune } from '../../api/schema/prune.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { forbidden } from '../../api/status.ts';
import { compareVersions } from '../../http/discovery/served-groups.ts';
import type { ServedForm, StoredResource } from '../../registry/resource.ts';
import type { RevisionCheck } from '../../store/store.ts';
import { customResourceErrors, customStatusErrors } from './custom-resource-errors.ts';
import { lazyRules } from './lazy-rules.ts';
import { type SharedSchema, sharedSchema } from './shared-schema.ts';

/** One version of a custom kind. */
export interface CustomVersion {
  readonly resource: StoredResource;
  readonly served: boolean;
  readonly storage: boolean;
  readonly scale?: ScaleSubresource;
}

export interface CustomKindState {
  /** The accepted names of the kind. They can differ from the names that the definition requests. */
  readonly names: DefinitionNames;
  /** True if the definition is being deleted. New objects of the kind are then refused. */
  readonly terminating: boolean;
  /** True if the definition's storage version was changed by the current update. */
  readonly hasNewStorageVersion?: boolean;
  /**
   * Returns a check that fails if the definition has changed; every create of an object contains the check. `undefined`
   * if the definition is being deleted. Without the check, another process could remove the definition during a create,
   * and nothing would ever delete the new object. Absent if no other process writes to the store.
   */
  definitionCheck?(): RevisionCheck | undefined;
  /** Requeues the definition after a change of an object (`StoredResource.requeues`). Optional. */
  readonly requeues?: NonNullable<StoredResource['requeues']>;
}

/** Returns the name of the version in which a CustomResourceDefinition stores its objects. */
export function storageVersionOf({ spec }: Definition): string {
  return (spec.versions ?? []).find(({ storage }) => storage === true)?.name ?? '';
}

/** Returns a stored resource for each version of a CustomResourceDefinition. */
export function customVersions(definition: Definition, kind: CustomKindState): CustomVersion[] {
  const { versions = [] } = definition.spec;
  const stored = versions.find(({ storage }) => storage === true);
  if (stored === undefined) return [];
  const schemas = new Map(
    versions.map(({ name = '', schema }) => [name, sharedSchema(schema?.openAPIV3Schema ?? {})] as const),
  );
  return versions.map((version) => ({
    resource: customResource(definition, kind, version, { schemas, storedVersion: stored.name ?? '' }),
    served: version.served === true,
    storage: version === stored,
    ...(version.subresources?.scale === undefined ? {} : { scale: version.subresources.scale }),
  }));
}

/** The schemas of a custom kind, by version name. */
type Schemas = ReadonlyMap<string, SharedSchema>;

function customResource(
  definition: Definition,
  { names, terminating, definitionCheck, requeues }: CustomKindState,
  version: DefinitionVersion,
  { schemas, storedVersion }: { readonly schemas: Schemas; readonly storedVersion: string },
): StoredResource {
  const { group = '', scope } = definition.spec;
  const { schema } = schemas.get(version.name ?? '') ?? sharedSchema({});
  const { plural = '', singular = '', kind = '', listKind, shortNames = [], categories = [] } = names;
  const columns = printerColumns(version.additionalPrinterColumns);
  const selectableFields = (version.selectableFields ?? []).map(({ jsonPath = '' }) => jsonPath.replace(/^\./, ''));
  const deprecation = deprecationOf(definition, version, kind);
  const described: ResourceKind = {
    group,
    version: version.name ?? '',
    kind,
    ...(listKind === undefined ? {} : { listKind }),
    plural,
    singular,
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    namespaced: scope === 'Namespaced',
    ...(schema.description === undefined ? {} : { description: schema.description }),
    schema,
    ...(columns === undefined ? {} : { columns }),
    ...(selectableFields.length === 0 ? {} : { selectableFields }),
    ...(deprecation === undefined ? {} : { deprecation }),
  };
  const rules = lazyRules(schema);
  const scale = version.subresources?.scale;
  const terminatingError = (name: string) =>
    forbidden({ group, resource: plural }, name, 'create not allowed while custom resource definition is terminating');
  return {
    ...described,
    hasStatus: version.subresources?.status !== undefined,
    form: servedForm(described, schemas, { group, version: storedVersion }),
    ...(terminating
      ? {
          prepare({ old, object }) {
            if (old === undefined) throw terminatingError(object.metadata.name ?? '');
          },
        }
      : {}),
    ...(definitionCheck === undefined
      ? {}
      : {
          requiredToCreate(name) {
            const check = definitionCheck();
            if (check === undefined) throw terminatingError(name);
            return [check];
          },
        }),
    ...(requeues === undefined ? {} : { requeues }),
    validate: (draft, context) => customResourceErrors({ schema, scale, rules }, draft, context),
    validateStatus: (draft, context) => customStatusErrors({ schema, scale, rules }, draft, context),
  };
}

/**
 * Converts custom resources between a served version and the stored version. Conversion changes only `apiVersion`.
 * First, a stored object is pruned and defaulted with the current schema of the version in which it was stored (DEC-20,
 * DEC-23). Then, the object is pruned with the schema of the served version.
 */
function servedForm(kind: ResourceKind, schemas: Schemas, stored: ResourceVersion): ServedForm {
  const own = apiVersionOf(kind);
  const storedVersion = apiVersionOf(stored);
  const isStored = own === storedVersion;
  const convert = (object: KubeObject): KubeObject => {
    const storedSchema = schemas.get(parseApiVersion(object.apiVersion).version)?.schema ?? kind.schema;
    coerce(storedSchema, object);
    applyDefaultsWithinLimit(storedSchema, object);
    if (storedSchema !== kind.schema) coerce(kind.schema, object);
    object.apiVersion = own;
    object.kind = kind.kind;
    return object;
  };
  const isConverted = (object: KubeObject): boolean =>
    fastPathsEnabled() &&
    object.apiVersion === own &&
    object.kind === kind.kind &&
    isNormalizedResource(kind.schema, object);
  if (isStored) {
    const text = `${own} ${kind.kind} ${schemas.get(kind.version)?.digest}`;
    const mark = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    return { storageFormId: mark, storedVersion, isConverted, convert };
  }
  return {
    storedVersion,
    isConverted,
    convert,
    toStored(object) {
      object.apiVersion = storedVersion;
      coerce(schemas.get(stored.version)?.schema ?? kind.schema, object);
      return object;
    },
  };
}

interface ResourceVersion {
  readonly group: string;
  readonly version: string;
}

/** Removes fields that are not in the schema, including metadata fields of embedded resources. */
function coerce(schema: Schema, object: KubeObject): void {
  prune(schema, object, { isResource: true });
  try {
    normalizeEmbeddedResources(schema, object);
  } catch (error) {
    // Ignore the error: stored objects are served even if they no longer match the schema. Only writes of invalid
    // objects are refused.
    if (!(error instanceof DecodeError)) throw error;
  }
}

/** Returns the warning for a deprecated version: the text in the definition, or a default text (CREATE-29). */
function deprecationOf({ spec }: Definition, version: DefinitionVersion, kind: string): string | undefined {
  if (version.deprecated !== true) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { group = '', versions = [] } = spec;
  const text = `${group}/${version.name} ${kind} is deprecated`;
  const better = versions
    .filter(
      ({ served, deprecated, name = '' }) =>
        served === true && deprecated !== true && isBetter(name, version.name ?? ''),
    )
    .map(({ name = '' }) => name)
    .sort(compareVersions)[0];
  return better === undefined ? text : `${text}; use ${group}/${better} ${kind}`;
}

function isBetter(candidate: string, name: string): boolean {
  return compareVersions(candidate, name) < 0;
}
