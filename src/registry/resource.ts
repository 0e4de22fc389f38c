import type { JsonObject } from '@flotilla/json';
import type { FieldError } from '../api/field-error.ts';
import type { AnyFields, KubeObject, TypedObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { RevisionCheck, Write } from '../store/store.ts';
import type { RequestContext } from './context.ts';
import type { ObjectRef } from './rows/rows.ts';
import type { ResourceVerbs } from './verbs.ts';
import type { Guard } from './write/guard.ts';
import type { RequiredCheck } from './write/required-check.ts';

/**
 * An object as the store holds it. `object` is the part that clients may see, without resourceVersion. `hidden` holds
 * values that never leave the server, such as hashes and sealed values: no response, patch, watch event or
 * managedFields entry contains them.
 */
export interface StoredRecord<Fields extends JsonObject = AnyFields, Hidden extends JsonObject = JsonObject> {
  readonly object: TypedObject<Fields>;
  readonly hidden?: Hidden;
}

/** An object during a write. Hooks may read `old` and may change `object` and `hidden` in place. */
export interface Draft<Fields extends JsonObject = AnyFields, Hidden extends JsonObject = JsonObject> {
  object: TypedObject<Fields>;
  hidden: Hidden;
  /** The stored record before the write, frozen. Absent for a create. */
  readonly old?: StoredRecord<Fields, Hidden>;
  /** The decoded object of a create. `object` is a copy of it. Hooks must not change it. */
  readonly sent?: KubeObject;
  /**
   * Values that only the response to this write contains, for example `spec.key` of a new access key. They are merged
   * into the object of the response and never stored. A dry run does not set them.
   */
  reveal?: JsonObject;
  /** The guards of the limits that this write was checked against (`KindStore.takeGuard`). */
  guards?: readonly Guard[];
  /** Further checks for the transaction, for example that another object is unchanged. */
  requires?: readonly RequiredCheck[];
}

/** An object of another kind that is written or deleted in the same transaction, such as the namespace of a project. */
export interface CompanionObject {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  /** The companion to write. If absent, the companion is deleted. */
  readonly object?: KubeObject;
}

/**
 * Converts stored objects to the form that clients see. Kinds need it if stored objects can differ from that form,
 * because they were written in another version or before the schema changed.
 */
export interface ServedForm {
  /**
   * The value of the member `form` in records that are stored in this form and need no conversion. Absent if objects
   * are never stored in this form.
   */
  readonly storageFormId?: string;
  /** The apiVersion in which the kind stores new objects. */
  readonly storedVersion: string;
  /** True if `convert` would return the object unchanged. Also false if this is not known. */
  isConverted(object: KubeObject): boolean;
  /** Converts an object from any stored form to this form. May change its argument. */
  convert(object: KubeObject): KubeObject;
  /**
   * Converts an object from this form to the storage form. May change `object`. `before` is the object as it is stored
   * now; absent for a create. The function is absent if this form is the storage form.
   */
  toStored?(object: KubeObject, before?: KubeObject): KubeObject;
}

/** The served versions of a kind whose objects have different fields in each version. */
export interface KindVersions {
  /** Returns the definition of a version; `undefined` if the version is not served. */
  find(version: string): StoredResource | undefined;
  /** Converts an object of any version. Does not change its argument, but the result may share parts with it. */
  convert(object: KubeObject, version: string): KubeObject;
}

/**
 * Encrypts and decrypts rows of the store. A sealed value is bound to `purpose`, so a value that was sealed for one row
 * is invalid in another row. `open` throws if the value was sealed for another purpose.
 */
export interface RowSealing {
  seal(purpose: string, clear: string): string;
  open(purpose: string, sealed: string): string;
}

export type KeptMetadata = 'labels' | 'ownerReferences';

/** The generation of the objects of a built-in kind. */
export interface GenerationRule {
  /** The generation of a new object. 0 means that a new object has none. */
  readonly first: 0 | 1;
  /**
   * The changes that increase the generation. `spec` stands for everything except metadata and status. With `never`,
   * the generation keeps its first value until the object is deleted.
   */
  readonly increasedBy: 'spec' | 'spec-or-annotations' | 'spec-or-labels' | 'never';
  /** Subresources whose writes do not increase the generation. Optional; defaults to none. */
  readonly keptBy?: readonly string[];
}

/**
 * The definition of a stored kind: its data, and hooks for behavior that differs from the default. A write runs these
 * steps in order: decode, apply defaults and prune → `sizeErrors` → set system metadata → `prepare` → validate schema
 * and metadata → `validate` → compute claims and indexes → store.
 */
export interface StoredResource<Fields extends JsonObject = AnyFields, Hidden extends JsonObject = JsonObject>
  extends ResourceKind<Fields> {
  /**
   * True if the kind has a status subresource. Writes to the object then keep the status, and status writes keep the
   * other fields.
   */
  readonly hasStatus: boolean;
  /**
   * True if a write to the status subresource also changes the metadata, for example the labels, as for namespaces.
   * Otherwise it changes only the status, as for custom resources.
   */
  readonly statusWritesMetadata?: boolean;
  /**
   * Members of the metadata that a status write keeps, if `statusWritesMetadata` is true. Optional; defaults to none.
   */
  readonly statusKeepsMetadata?: readonly KeptMetadata[];
  /** The rule for `metadata.generation`. Optional; a built-in kind without it has no generation. */
  readonly generation?: GenerationRule;
  /**
   * True if only the server's own code changes the status. Clients that may write the object may also write its status;
   * such writes are checked, but change nothing.
   */
  readonly serverOwnedStatus?: boolean;
  /** The verbs that clients may use. Optional; defaults to all verbs. The server itself may always use all verbs. */
  readonly verbs?: readonly (keyof ResourceVerbs)[];
  /**
   * The reason why clients may not use the verbs that `verbs` omits. The error responses to these verbs contain this
   * reason.
   */
  readonly verbsReason?: string;
  /**
   * True if a PUT without a resourceVersion overwrites the object, as for most core kinds. Otherwise the PUT gets 422.
   */
  readonly unconditionalUpdate?: boolean;
  /** True if a PUT of an object that does not exist creates it, as for events and leases. */
  readonly createOnUpdate?: boolean;
  /** True if a delete that removes an object responds with the object instead of a Status, as for storage classes. */
  readonly returnsDeleted?: boolean;
  /** The syntax of valid names. Optional; defaults to `subdomain`, a DNS subdomain. */
  readonly nameRule?: 'subdomain' | 'label' | 'path-segment';
  /** The maximum length of a name. Optional; defaults to 253, or to 63 if `nameRule` is `label`. */
  readonly maxNameLength?: number;
  /**
   * If set, an object that is created without name and generateName, such as an access key, gets a generated name with
   * this prefix.
   */
  readonly autoName?: string;
  /** True if `gracePeriodSeconds` delays the removal of an object (completions §2.1). True for all management kinds. */
  readonly gracePeriods?: boolean;
  /**
   * The paths of fields that `prepare` reads and removes, for example `[['spec', 'key']]`. Responses never contain
   * these fields, so no field manager owns them.
   */
  readonly writeOnlyFields?: readonly (readonly string[])[];
  /**
   * Encrypts the rows of the kind, for example of Secrets. The whole row is encrypted, because its values may occur in
   * several parts of an object, for example also in kubectl's last-applied-configuration annotation. Objects in memory
   * are plaintext.
   */
  readonly sealing?: RowSealing;
  /** Converts stored objects to the served form. If absent, objects are served in the form in which they are stored. */
  readonly form?: ServedForm;
  /** Present if versions differ in more than `apiVersion`. Field owners and admission then see converted objects. */
  readonly versions?: KindVersions;
  /**
   * The paths of fields that `prepare` sets on create if the client did not send them. A field that `prepare` has set
   * gets no field manager as its owner.
   */
  readonly unownedFields?: readonly (readonly string[])[];
  /**
   * The fields that a write cannot change, by the subresource that is written ('' is the object itself). Field managers
   * get no ownership of these fields. Optional; by default, only the status subresource writes the status, and it
   * writes nothing else.
   */
  readonly resetFields?: Readonly<Record<string, readonly (readonly string[])[]>>;
  /**
   * True if field managers own exactly the fields that clients have sent: also fields that `prepare` removes, but no
   * fields that `prepare` adds. Optional; by default, ownership is tracked after `prepare`.
   */
  readonly tracksSentFields?: boolean;
  /**
   * Present if a delete without a propagation policy keeps the dependents of the object, as for jobs. `warning` is sent
   * to clients that delete an object this way.
   */
  readonly orphansDependents?: { readonly warning?: string };
  /** A finalizer that the server adds to each new object. Clients cannot remove it. */
  readonly serverFinalizer?: string;

  /**
   * Returns the errors of an object that is too large. If there are errors, the write is rejected before all other
   * checks, because the time of those checks grows with the size. Called before the types of fields are checked. `old`
   * is the stored object. The function must accept an object that is not larger than `old`.
   */
  sizeErrors?(object: TypedObject<Fields>, old: TypedObject<Fields> | undefined): readonly FieldError[];
  /**
   * Sets the fields that the server decides and removes fields that clients may not set. Throws StatusError for errors
   * that are not field errors, for example 403 or 404. Must change nothing but the draft, because dry runs call it too.
   * `subresource` is the name of the subresource through which the request writes the object, for example `scale`
   * (`WriteOptions.subresource`); '' if the request path is that of the object.
   */
  prepare?(draft: Draft<Fields, Hidden>, context: RequestContext, subresource: string): void | Promise<void>;
  /** Returns all field errors that the schema does not find. Called after `prepare`, with the same arguments. */
  validate?(
    draft: Draft<Fields, Hidden>,
    context: RequestContext,
    subresource: string,
  ): readonly FieldError[] | Promise<readonly FieldError[]>;
  /**
   * Changes the draft of a status write. Called for status writes instead of `prepare`. `subresource` is `status`, or
   * another subresource that writes the status.
   */
  prepareStatus?(draft: Draft<Fields, Hidden>, context: RequestContext, subresource: string): void;
  /** Returns all field errors of a status write that the schema does not find. */
  validateStatus?(
    draft: Draft<Fields, Hidden>,
    context: RequestContext,
    subresource: string,
  ): readonly FieldError[] | Promise<readonly FieldError[]>;
  /**
   * Returns the name of a queue in which creates run one after another. Kinds whose `prepare` limits the number of
   * objects need a queue, because two concurrent creates could exceed the limit. Creates run concurrently if the hook
   * is absent or returns `undefined`.
   */
  createQueue?(sent: TypedObject<Fields>, context: RequestContext): string | undefined;
  /**
   * Returns the claims of an object: names that only one object of the kind may hold at a time, for example the hash of
   * an access key or a location on a host. The transaction that writes the object also acquires its claims.
   * `claimTaken` returns the error for a write whose claim is held by another object.
   */
  claims?(record: StoredRecord<Fields, Hidden>): readonly string[];
  claimTaken?(claim: string, holder: string, draft: Draft<Fields, Hidden>): Error;
  /**
   * Returns the companion objects, which are created, changed and deleted in the same transaction as the object.
   * `companionTaken` returns the error for a write whose new companion already exists. `companionTaken` is optional;
   * the default error is 409 with the reason AlreadyExists.
   */
  companions?(record: StoredRecord<Fields, Hidden>): readonly CompanionObject[];
  companionTaken?(companion: CompanionObject): Error;
  /**
   * Returns row writes to other slices that are part of the same transaction as a write of the object, for example the
   * rows of a new control plane. `old` is absent for a create, and `next` for the removal of the object. `context` is
   * the request that causes the write.
   */
  writtenAlongside?(
    old: StoredRecord<Fields, Hidden> | undefined,
    next: StoredRecord<Fields, Hidden> | undefined,
    context: Pick<RequestContext, 'user' | 'responsible' | 'system'> | undefined,
  ): readonly Write[];
  /**
   * Returns the time at which maintenance deletes the object, in milliseconds since the epoch; `undefined` for never.
   */
  expiresAt?(record: StoredRecord<Fields, Hidden>): number | undefined;
  /**
   * Returns checks for the transaction that creates an object, for example that the definition of its kind is unchanged.
   * Throws StatusError if objects cannot be created now. `name` is empty if it is generated.
   */
  requiredToCreate?(name: string): readonly RequiredCheck[];
  /**
   * Throws StatusError if the caller may not change the object or its subresource `subresource`. Called before a patch
   * or an update is applied. The check is necessary because the request was authorized before its body was read, and
   * another object may have taken the name since.
   */
  guardWrite?(record: StoredRecord<Fields, Hidden>, context: RequestContext, subresource: string): void | Promise<void>;
  /** Throws StatusError to reject a delete, for example because an annotation protects the object. */
  guardDelete?(record: StoredRecord<Fields, Hidden>, context: RequestContext): void | Promise<void>;
  /** Returns the error message for a failed delete precondition. Optional; defaults to the message of Kubernetes. */
  preconditionMessage?(member: 'UID' | 'ResourceVersion', wanted: string, found: string): string;
  /**
   * Called when the deletion of `object` starts. Changes fields of `object` outside metadata, for example the phase of
   * a namespace.
   */
  prepareDelete?(object: TypedObject<Fields>): void;
  /**
   * Returns the grace period of a delete, in seconds. An object with a grace period stays until a client, such as the
   * kubelet of a pod, deletes it again with a grace period of 0. `requested` is `undefined` if the client sent no grace
   * period. A kind with this hook must not set `gracePeriods`, with which the server removes objects when the grace
   * period is over.
   */
  graceSecondsOf?(object: TypedObject<Fields>, requested: number | undefined): number;
  /**
   * True if something other than `metadata.finalizers` blocks the removal of a terminating object, such as
   * `spec.finalizers` of a namespace.
   */
  isDeletionBlocked?(object: TypedObject<Fields>): boolean;

  /**
   * True if the object needs a reconcile, for example a namespace that must be emptied. The result depends only on the
   * record. While the result is true, every write of the object also writes a maintenance row in the same transaction,
   * so that the reconcile is not lost if the server crashes or unloads the plane. A write deletes the row if the result
   * is false afterwards or if it removes the object.
   */
  needsReconcile?(record: StoredRecord<Fields, Hidden>): boolean;
  /**
   * Reconciles an object. Maintenance loads the plane and calls this hook, never twice at the same time for one object.
   * If the result is a number, the hook is called again after that many milliseconds, or earlier if the object is
   * written. `undefined` means that the reconcile is done until the object is written again or another object
   * `requeues` it. Errors are logged and retried with increasing backoff. The hook must be idempotent: calls may
   * repeat, and the object may be deleted or may no longer need a reconcile. All writes of the hook should contain the
   * check `fence` (`RequestContext.fence`).
   */
  reconcile?(namespace: string, name: string, fence?: RevisionCheck): Promise<number | undefined>;
  /**
   * Returns other objects of the plane that need a reconcile because of this write, for example the roles that
   * aggregate the written role. Their `reconcile` is called as if these objects had been written. Must be fast.
   */
  requeues?(
    old: StoredRecord<Fields, Hidden> | undefined,
    next: StoredRecord<Fields, Hidden> | undefined,
  ): readonly ObjectRef[];
}

/**
 * Defines a stored kind. `Hidden` is the type of the hidden part of its records, which only the hooks of the kind write.
 * Optional; by default, the hidden part is any JSON object.
 */
export function defineResource<Fields extends JsonObject, Hidden extends JsonObject = JsonObject>(
  definition: StoredResource<Fields, Hidden>,
): StoredResource<Fields, Hidden> {
  return definition;
}
