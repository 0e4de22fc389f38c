import { createHash } from 'node:crypto';
import type {
  Definition,
  DefinitionNames,
  DefinitionVersion,
  ScaleSubresource,
} from '../../api/apiextensions/definition.ts';
import { printerColumns } from '../../api/apiextensions/printer-columns.ts';
import { DecodeError } from '../../api/decode/decode-error.ts';
import { shapeEmbedded } from '../../api/decode/embedded.ts';
import { apiVersionOf, type KubeObject, parseApiVersion } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { applyDefaults } from '../../api/schema/default.ts';
import { prune } from '../../api/schema/prune.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { isSettled } from '../../api/schema/settled.ts';
import { forbidden } from '../../api/status.ts';
import { compareVersions } from '../../http/discovery/served-groups.ts';
import type { ServedForm, StoredResource } from '../../registry/resource.ts';
import { customResourceErrors, customStatusErrors } from './custom-resource-errors.ts';
import { lazyRules } from './lazy-rules.ts';
import { type SharedSchema, sharedSchema } from './shared-schema.ts';

/** One version of a kind that a definition makes. */
export interface CustomVersion {
  readonly resource: StoredResource;
  readonly served: boolean;
  readonly storage: boolean;
  readonly scale?: ScaleSubresource;
}

export interface CustomKind {
  /** By their names: those that were accepted, which need not be those that are wanted. */
  readonly names: DefinitionNames;
  /** The definition is being deleted: nothing new comes. */
  readonly terminating: boolean;
  /** Objects were stored in another version until now. */
  readonly isStoredAnew?: boolean;
}

/** The version in which objects are stored. */
export function storedVersionOf({ spec }: Definition): string {
  return (spec.versions ?? []).find(({ storage }) => storage === true)?.name ?? '';
}

/** What a definition says, as kinds like any other. */
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

/** By version. */
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
 * How objects of one version come out of the store and get into it. They differ from version to version in their
 * apiVersion alone. What is read is pruned and defaulted by the schema of the version in which it was stored, which
 * may have changed since (DEC-20, DEC-23), and pruned by that in which it is served.
 */
function servedForm(kind: ResourceKind, schemas: Schemas, stored: ResourceVersion): ServedForm {
  const own = apiVersionOf(kind);
  const storedVersion = apiVersionOf(stored);
  const isStored = own === storedVersion;
  const turn = (object: KubeObject): KubeObject => {
    const written = schemas.get(parseApiVersion(object.apiVersion).version)?.schema ?? kind.schema;
    coerce(written, object);
    applyDefaults(written, object);
    if (written !== kind.schema) coerce(kind.schema, object);
    object.apiVersion = own;
    object.kind = kind.kind;
    return object;
  };
  const isTurned = (object: KubeObject): boolean =>
    object.apiVersion === own && object.kind === kind.kind && isSettled(kind.schema, object);
  if (isStored) {
    const text = `${own} ${kind.kind} ${schemas.get(kind.version)?.digest}`;
    const mark = createHash('sha256').update(text).digest('base64url').slice(0, 12);
    return { mark, storedVersion, isTurned, turn };
  }
  return {
    storedVersion,
    isTurned,
    turn,
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

/** Drops what the schema does not know, also in the metadata of resources inside. */
function coerce(schema: Schema, object: KubeObject): void {
  prune(schema, object, { isResource: true });
  try {
    shapeEmbedded(schema, object);
  } catch (error) {
    // What lies in the store is served whatever has become of its schema; a write of it will be refused.
    if (!(error instanceof DecodeError)) throw error;
  }
}

/** CREATE-29: its own text, or which version to use instead. */
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
