import { type JsonObject, type JsonValue, valueAt } from '@flotilla/json';
import { boundedErrors } from '../../api/bounded-errors.ts';
import type { FieldError } from '../../api/field-error.ts';
import type { KubeObject } from '../../api/meta.ts';
import type { Column } from '../../api/resource.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { kubernetesSchemas } from '../../api/structs/kubernetes-structs.ts';
import { andThen, type MaybePromise } from '../../lib/maybe-promise.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { CompanionObject, Draft, GenerationRule, KeptMetadata, StoredResource } from '../../registry/resource.ts';
import type { ScaledKind } from '../scale/mount-scale.ts';
import { kubernetesDefaults } from './defaults/kubernetes-defaults.ts';
import { podTemplatePath } from './rules/pods/warnings/pod-template-path.ts';
import { podTemplateWarnings } from './rules/pods/warnings/pod-warnings.ts';

/** The behavior of the status subresource of a kind. */
export interface StatusRule {
  /** The metadata members that a status write cannot change. `all`: a status write cannot change any metadata. */
  readonly keeps: 'all' | readonly KeptMetadata[];
  /** Changes the written status, in place. `subresource` is `status` or one of `statusSubresources`. */
  prepare?(object: KubeObject, old: KubeObject, subresource: string): void;
  /** Returns the errors in the written status. */
  validate?(object: KubeObject, old: KubeObject, subresource: string): Iterable<FieldError>;
}

/** The write that `KubernetesKind.prepare` is called for. */
export interface KindWrite {
  /** The subresource through which the object is written, except `status`; '' if there is none. */
  readonly subresource: string;
  readonly user: RequestContext['user'];
  /** Adds a warning to the response. */
  warn(text: string): void;
}

/**
 * A row of the kind table: a built-in kind of Kubernetes. The row contains only properties that differ between kinds.
 * Schema, protobuf and defaults come from the struct tables.
 */
export interface KubernetesKind {
  /** The name of the kind's Go struct in the struct tables: `apps.Deployment` for the kind Deployment. */
  readonly struct: string;
  readonly group: string;
  /** The version of the kind. Optional; defaults to v1. */
  readonly version?: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly namespaced: boolean;
  /** The syntax of valid names. Optional; defaults to a DNS subdomain. */
  readonly nameRule?: StoredResource['nameRule'];
  readonly description: string;
  /** Paths that field selectors support in addition to the name and the namespace. */
  readonly selectableFields?: readonly string[];
  /** Present if the kind has the subresource `scale`. */
  readonly scale?: ScaledKind;
  /** Present if the kind has a status subresource. */
  readonly status?: StatusRule;
  /** Other subresources that write the status, such as `approval`. Optional; defaults to none. */
  readonly statusSubresources?: readonly string[];
  /** The fields that writes cannot change, by subresource (`StoredResource.resetFields`). */
  readonly resetFields?: NonNullable<StoredResource['resetFields']>;
  /** The rule for the generation of objects. Optional; by default, objects have no generation. */
  readonly generation?: GenerationRule;
  /** True if a PUT without a resourceVersion overwrites the object. */
  readonly unconditionalUpdate: boolean;
  /** True if a PUT of an object that does not exist creates it. Optional; defaults to false. */
  readonly createOnUpdate?: boolean;
  /** True if the response to a delete is the removed object. Optional; defaults to false. */
  readonly returnsDeleted?: boolean;
  /** The verbs that clients may use. Optional; defaults to all verbs. */
  readonly verbs?: NonNullable<StoredResource['verbs']>;
  /** The reason why clients may not use verbs that `verbs` omits. */
  readonly verbsReason?: string;
  /** A warning for all clients that use the kind. */
  readonly deprecation?: string;
  /** Columns after the name column. Optional; by default, only the age. */
  readonly columns?: readonly Column[];
  /** Present if the kind keeps the dependents of an object that is deleted without a propagation policy. */
  readonly orphansDependents?: StoredResource['orphansDependents'];
  /** Completes a decoded object after its defaults are set, in place. Throws StatusError if it cannot be decoded. */
  complete?(object: JsonObject): void;
  /**
   * Completes a written object, in place: sets the members that only the server may set, and removes members that
   * clients may not set. `sent` is the decoded object of a create.
   */
  prepare?(object: KubeObject, old: KubeObject | undefined, sent: KubeObject | undefined, write: KindWrite): void;
  /** Returns the errors of a new object. Also called for updates, unless `validateUpdate` is present. */
  validate(object: KubeObject): MaybePromise<Iterable<FieldError>>;
  /** Returns the errors of an update. `subresource` is the subresource through which the object is written, or ''. */
  validateUpdate?(object: KubeObject, old: KubeObject, subresource: string): MaybePromise<Iterable<FieldError>>;
  /** Returns the grace period of a delete, in seconds (`StoredResource.graceSecondsOf`). */
  graceSecondsOf?: NonNullable<StoredResource['graceSecondsOf']>;
  /** Throws StatusError to refuse a delete. */
  guardDelete?(object: KubeObject): void;
  /**
   * Returns names that belong to the object. No two objects of the kind can have the same name
   * (`StoredResource.claims`).
   */
  claims?(object: KubeObject): readonly string[];
  /** Returns objects that are written and deleted together with the object (`StoredResource.companions`). */
  companions?(object: KubeObject): readonly CompanionObject[];
  /** Returns warnings about a valid object that is created or updated. */
  warnings?(object: KubeObject, old: KubeObject | undefined): readonly string[];
}

/** The definition of a stored built-in kind of Kubernetes. */
export interface StoredKubernetesKind extends StoredResource {
  readonly scale?: ScaledKind;
  readonly statusSubresources?: readonly string[];
}

/** Returns the definition of a stored kind from its row in the kind table. All planes share the definition. */
export function storedKubernetesKind(row: KubernetesKind): StoredKubernetesKind {
  const { struct, group, version = 'v1', plural, shortNames, categories, namespaced, description, columns } = row;
  const kind = struct.slice(struct.indexOf('.') + 1);
  let schema: Schema | undefined;
  return {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    ...(shortNames === undefined ? {} : { shortNames }),
    ...(categories === undefined ? {} : { categories }),
    namespaced,
    description,
    builtIn: true,
    // The schema is large, so it is built when the kind is first used.
    get schema() {
      schema ??= kubernetesSchemas.kindSchema(struct);
      return schema;
    },
    setDefaults(object: JsonObject) {
      kubernetesDefaults.apply(struct, object, Date.now());
      row.complete?.(object);
    },
    ...(columns === undefined ? {} : { columns }),
    ...(row.deprecation === undefined ? {} : { deprecation: row.deprecation }),
    unconditionalUpdate: row.unconditionalUpdate,
    createOnUpdate: row.createOnUpdate ?? false,
    returnsDeleted: row.returnsDeleted ?? false,
    ...(row.verbs === undefined ? {} : { verbs: row.verbs }),
    ...(row.verbsReason === undefined ? {} : { verbsReason: row.verbsReason }),
    ...(row.generation === undefined ? {} : { generation: row.generation }),
    ...optionalMembers(row),
    ...statusMembers(row.status),
    ...(row.prepare === undefined && row.status?.prepare === undefined ? {} : { tracksSentFields: true }),
    prepare: ({ object, old, sent }, context, subresource) =>
      row.prepare?.(object, old?.object, sent, { subresource, user: context.user, warn: (text) => context.warn(text) }),
    validate: (draft, context, subresource) => validate(row, draft, context, subresource),
    guardDelete: ({ object }) => row.guardDelete?.(object),
    ...relatedMembers(row),
  };
}

function relatedMembers({ claims, companions }: KubernetesKind): Pick<StoredResource, 'claims' | 'companions'> {
  return {
    ...(claims === undefined ? {} : { claims: ({ object }) => claims(object) }),
    ...(companions === undefined ? {} : { companions: ({ object }) => companions(object) }),
  };
}

function optionalMembers({
  nameRule,
  selectableFields,
  scale,
  orphansDependents,
  graceSecondsOf,
  statusSubresources,
  resetFields,
}: KubernetesKind): Partial<StoredKubernetesKind> {
  return {
    ...(nameRule === undefined ? {} : { nameRule }),
    ...(selectableFields === undefined ? {} : { selectableFields }),
    ...(scale === undefined ? {} : { scale }),
    ...(orphansDependents === undefined ? {} : { orphansDependents }),
    ...(graceSecondsOf === undefined ? {} : { graceSecondsOf }),
    ...(statusSubresources === undefined ? {} : { statusSubresources }),
    ...(resetFields === undefined ? {} : { resetFields }),
  };
}

function statusMembers(
  status: StatusRule | undefined,
): Pick<
  StoredResource,
  'hasStatus' | 'statusWritesMetadata' | 'statusKeepsMetadata' | 'prepareStatus' | 'validateStatus'
> {
  if (status === undefined) return { hasStatus: false };
  const { prepare } = status;
  return {
    hasStatus: true,
    ...(status.keeps === 'all' ? {} : { statusWritesMetadata: true, statusKeepsMetadata: status.keeps }),
    ...(prepare === undefined
      ? {}
      : {
          prepareStatus: ({ object, old }, _context, subresource) =>
            old === undefined ? undefined : prepare(object, old.object, subresource),
        }),
    validateStatus: ({ object, old }, _context, subresource) =>
      old === undefined ? [] : boundedErrors(status.validate?.(object, old.object, subresource) ?? []),
  };
}

function validate(
  row: KubernetesKind,
  { object, old }: Draft,
  context: RequestContext,
  subresource: string,
): readonly FieldError[] | Promise<readonly FieldError[]> {
  const before = old?.object;
  const found =
    before === undefined || row.validateUpdate === undefined
      ? row.validate(object)
      : row.validateUpdate(object, before, subresource);
  const report = (all: Iterable<FieldError>): readonly FieldError[] => {
    const errors = boundedErrors(all);
    if (errors.length > 0) return errors;
    for (const warning of [...(row.warnings?.(object, before) ?? []), ...templateWarnings(row, object, before)]) {
      context.warn(warning);
    }
    return errors;
  };
  return andThen(found, report);
}

/**
 * Returns the warnings about the pod template of an object. Returns none if the object has no pod template, or if the
 * template has certainly not changed.
 */
function templateWarnings({ struct }: KubernetesKind, object: KubeObject, old: KubeObject | undefined): string[] {
  const path = podTemplatePath(struct);
  if (path === undefined || (old !== undefined && old.metadata.generation === object.metadata.generation)) return [];
  return podTemplateWarnings(valueAt(object as JsonValue, ...path), path.join('.'));
}
