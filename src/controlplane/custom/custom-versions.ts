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
import { applyDefaults } from '../../api/schema/default.ts';
import { isNormalizedResource } from '../../api/schema/is-normalized-resource.ts';
import { prune } from '../../api/schema/prune.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { forbidden } from '../../api/status.ts';
import { compareVersions } from '../../http/discovery/served-groups.ts';
import type { ServedForm, StoredResource } from '../../registry/resource.ts';
import { customResourceErrors, customStatusErrors } from './custom-resource-errors.ts';
import { lazyRules } from './lazy-rules.ts';
import { type SharedSchema, sharedSchema } from './shared-schema.ts';

/** One version of a kind that a definition creates. */
export interface CustomVersion {
  readonly resource: StoredResource;
  readonly served: boolean;
  readonly storage: boolean;
  readonly scale?: ScaleSubresource;
}

export interface CustomKind {
  /** The accepted names, which may differ from the requested ones. */
  readonly names: DefinitionNames;
  /** The definition is being deleted: no objects can be created. */
  readonly terminating: boolean;
  /** The storage version has just changed. */
  readonly hasNewStorageVersion?: boolean;
}

/** The storage version. */
export function storageVersionOf({ spec }: Definition): string {
  return (spec.versions ?? []).find(({ storage }) => storage === true)?.name ?? '';
}

/** Converts the versions of a definition to stored resources. */
export function customVersions(definition: Definition, kind: CustomKind): CustomVersion[] {
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

/** Schemas by version. */
type Schemas = ReadonlyMap<string, SharedSchema>;

function customResource(
  definition: Definition,
  { names, terminating }: CustomKind,
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
  return {
    ...described,
    hasStatus: version.subresources?.status !== undefined,
    form: servedForm(described, schemas, { group, version: storedVersion }),
    ...(terminating
      ? {
          prepare({ old, object }) {
            if (old !== undefined) return;
            const detail = 'create not allowed while custom resource definition is terminating';
            throw forbidden({ group, resource: plural }, object.metadata.name ?? '', detail);
          },
        }
      : {}),
    validate: (draft, context) => customResourceErrors({ schema, scale, rules }, draft, context),
    validateStatus: (draft, context) => customStatusErrors({ schema, scale, rules }, draft, context),
  };
}

/**
 * Converts objects of one version from and to their stored form. Versions differ only in their apiVersion. A read
 * object is pruned and defaulted by the schema of the version in which it was stored, which may have changed since
 * (DEC-20, DEC-23), and pruned by the schema of the version in which it is served.
 */
function servedForm(kind: ResourceKind, schemas: Schemas, stored: ResourceVersion): ServedForm {
  const own = apiVersionOf(kind);
  const storedVersion = apiVersionOf(stored);
  const isStored = own === storedVersion;
  const turn = (object: KubeObject): KubeObject => {
    const storedSchema = schemas.get(parseApiVersion(object.apiVersion).version)?.schema ?? kind.schema;
    coerce(storedSchema, object);
    applyDefaults(storedSchema, object);
    if (storedSchema !== kind.schema) coerce(kind.schema, object);
    object.apiVersion = own;
    object.kind = kind.kind;
    return object;
  };
  const isTurned = (object: KubeObject): boolean =>
    fastPathsEnabled() &&
    object.apiVersion === own &&
    object.kind === kind.kind &&
    isNormalizedResource(kind.schema, object);
  if (isStored) {
    const text = `${own} ${kind.kind} ${schemas.get(kind.version)?.digest}`;
    const mark = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    return { mark, storedVersion, isConverted: isTurned, convert: turn };
  }
  return {
    storedVersion,
    isConverted: isTurned,
    convert: turn,
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

/** Drops fields that the schema does not contain, also in the metadata of embedded resources. */
function coerce(schema: Schema, object: KubeObject): void {
  prune(schema, object, { isResource: true });
  try {
    normalizeEmbeddedResources(schema, object);
  } catch (error) {
    // Stored objects are served even if their schema has changed; a write of such an object is refused.
    if (!(error instanceof DecodeError)) throw error;
  }
}

/** CREATE-29: the definition's own warning, or a reference to a better version. */
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
