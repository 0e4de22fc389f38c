import type { JsonObject } from '@flotilla/json';
import type { FieldError } from '../api/field-error.ts';
import type { KubeObject, TypedObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { Write } from '../store/store.ts';
import type { RequestContext } from './context.ts';
import type { RequestDocument } from './fast/request-document.ts';
import type { ObjectRef } from './rows/rows.ts';
import type { ResourceVerbs } from './verbs.ts';

/**
 * The stored form of an object. `object` is the part that may be served, without resourceVersion. `hidden` never leaves
 * the server (hashes, sealed values): no response, patch, watch or managedFields entry contains it.
 */
export interface StoredRecord<Fields extends JsonObject = JsonObject> {
  readonly object: TypedObject<Fields>;
  readonly hidden?: JsonObject;
}

/** An object during a write. Hooks read `old` and change `object` and `hidden` in place. */
export interface Draft<Fields extends JsonObject = JsonObject> {
  object: TypedObject<Fields>;
  hidden: JsonObject;
  /** The stored record, frozen. Absent for a create. */
  readonly old?: StoredRecord<Fields>;
  /**
   * Values that only the response to this write contains, merged over the members of the object (`spec.key` of a new
   * access key). Never stored, never set by a dry run.
   */
  reveal?: JsonObject;
  /** The request document of `object`, if it is known and the object is new. */
  readonly document?: RequestDocument | undefined;
}

/** An object of another kind that is written or removed in the same transaction (a project's namespace). */
export interface Companion {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  /** The companion to write. If absent, the companion is deleted. */
  readonly object?: KubeObject;
}

/**
 * The form in which objects are served, for kinds whose stored form may differ: objects may have been written in
 * another version, or before their schema changed.
 */
export interface ServedForm {
  /**
   * The value that marks records stored in this form, which need no conversion. Absent: this is not the storage form.
   */
  readonly mark?: string;
  /** The apiVersion in which objects are stored. */
  readonly storedVersion: string;
  /** True if `convert` would not change the object. False may also mean that this is unknown. */
  isConverted(object: KubeObject): boolean;
  /** Converts an object from any stored form to this one. May change its argument, a private copy of the caller. */
  convert(object: KubeObject): KubeObject;
  /** Converts an object of this form to the storage form, if they differ. May change its argument. */
  toStored?(object: KubeObject): KubeObject;
}

/**
 * Encrypts rows of the store. The ciphertext is bound to `purpose`: a value that was sealed for one row cannot be
 * opened for another. `open` throws if the value was not sealed for this purpose.
 */
export interface RowSealing {
  seal(purpose: string, clear: string): string;
  open(purpose: string, sealed: string): string;
}

/**
 * A stored kind: its data, and hooks where it differs from the default behavior. Order of a write: decode, defaults,
 * prune → system metadata → `prepare` → schema and metadata validation, `validate` → claims, indexes → store.
 */
export interface StoredResource<Fields extends JsonObject = JsonObject> extends ResourceKind<Fields> {
  /** True if `status` is a subresource: main writes keep it, status writes change nothing else. */
  readonly hasStatus: boolean;
  /** The verbs that clients may use. Optional; defaults to all. The server's own code may always use all of them. */
  readonly verbs?: readonly (keyof ResourceVerbs)[];
  /** True if a PUT without a resourceVersion overwrites (most core kinds); otherwise it is a 422. */
  readonly unconditionalUpdate?: boolean;
  /** True if a PUT creates an object that does not exist (events, leases). */
  readonly createOnUpdate?: boolean;
  /** The naming rule. Optional; defaults to DNS subdomain. */
  readonly nameRule?: 'subdomain' | 'label' | 'path-segment';
  /** The maximum length of a name. Optional; defaults to 253, or 63 for labels. */
  readonly maxNameLength?: number;
  /** The prefix of the generated name of an object without name and generateName (access keys). */
  readonly autoName?: string;
  /** True if `gracePeriodSeconds` delays removal (completions §2.1), as for every management kind. */
  readonly gracePeriods?: boolean;
  /** Members that `prepare` consumes and that are never served, so no manager owns them. `[['spec', 'key']]`. */
  readonly writeOnlyFields?: readonly (readonly string[])[];
  /**
   * Encrypts the whole rows of the kind (secrets): the values, and every other part of an object that may contain them,
   * such as the annotation in which kubectl keeps the last applied configuration. In memory they are plaintext.
   */
  readonly sealing?: RowSealing;
  /** The served form. If absent, objects are served as they are stored. */
  readonly form?: ServedForm;
  /** Members that `prepare` sets at creation if the client did not send them. No manager owns a member set this way. */
  readonly unownedFields?: readonly (readonly string[])[];
  /** A finalizer that the server adds at creation and that only the server may remove. */
  readonly serverFinalizer?: string;

  /**
   * Sets the members that the server decides and drops those that clients may not set. Throws StatusError for anything
   * that is not a field error (403, 404). Must have no effect outside the draft, as dry runs call it too. `subresource`
   * is the name of the subresource if the write came through one that writes the main part
   * (`WriteOptions.subresource`), else ''.
   */
  prepare?(draft: Draft<Fields>, context: RequestContext, subresource: string): void | Promise<void>;
  /** Returns every field error beyond the schema. Called after `prepare`. */
  validate?(draft: Draft<Fields>, context: RequestContext): readonly FieldError[] | Promise<readonly FieldError[]>;
  /** Called for a status write instead of `prepare` and `validate`. */
  prepareStatus?(draft: Draft<Fields>, context: RequestContext): void;
  /** Returns every field error of a status write beyond the schema of the status. */
  validateStatus?(
    draft: Draft<Fields>,
    context: RequestContext,
  ): readonly FieldError[] | Promise<readonly FieldError[]>;
  /**
   * Returns the name of a queue in which creates run one after another: `prepare` counts against a limit, and two
   * concurrent creates would both find capacity. Absent or `undefined`: creates run concurrently.
   */
  createQueue?(sent: TypedObject<Fields>, context: RequestContext): string | undefined;
  /**
   * Returns the names that at most one object of the kind may hold at a time (a key's hash, a location on a host). They
   * are acquired in the same transaction as the object itself. `claimTaken` returns the error for a second holder.
   */
  claims?(record: StoredRecord<Fields>): readonly string[];
  claimTaken?(claim: string, holder: string, draft: Draft<Fields>): Error;
  /** Returns the companion objects: created, changed and deleted with the object, in one transaction. */
  companions?(record: StoredRecord<Fields>): readonly Companion[];
  /**
   * Returns the writes to other slices that create the object's dependencies in the same transaction (a control plane).
   */
  createdAlongside?(record: StoredRecord<Fields>): readonly Write[];
  /** Returns the time at which maintenance deletes the object, in milliseconds since the epoch. */
  expiresAt?(record: StoredRecord<Fields>): number | undefined;
  /** Throws StatusError to reject this delete (a guard annotation). */
  guardDelete?(record: StoredRecord<Fields>, context: RequestContext): void | Promise<void>;
  /** Returns the message of a failed delete precondition, for kinds that have their own. */
  preconditionMessage?(member: 'UID' | 'ResourceVersion', wanted: string, found: string): string;
  /** Changes members other than metadata when a deletion starts (a namespace's phase). The object is a private copy. */
  prepareDelete?(object: TypedObject<Fields>): void;
  /**
   * True if something other than `metadata.finalizers` blocks the removal of a terminating object (a namespace's own).
   */
  isDeletionBlocked?(object: TypedObject<Fields>): boolean;

  /**
   * True if the object needs a reconcile after this write: a namespace that must be emptied, a definition that must be
   * established. Depends on the record alone. While it is true, every write of the object adds a maintenance row in the
   * same transaction, so that neither a crash nor unloading the plane loses it. A write that makes it false, or removes
   * the object, deletes the row.
   */
  needsReconcile?(record: StoredRecord<Fields>): boolean;
  /**
   * Reconciles an object. Maintenance loads the plane and calls it, one call at a time for an object, until nothing is
   * left to do. `undefined`: done until the object is written again or another object `requeues` it. A number: call
   * again after that many milliseconds, or sooner if the object is written. Errors are logged and retried with
   * increasing backoff. The object may be gone or may need no reconcile any more, and calls may repeat: it must be
   * idempotent.
   */
  reconcile?(namespace: string, name: string): Promise<number | undefined>;
  /**
   * Returns other objects of the plane that need a reconcile because of this write (roles that aggregate this one,
   * definitions that wait for its name): their `reconcile` is called as if they had been written. Must be fast.
   */
  requeues?(old: StoredRecord<Fields> | undefined, next: StoredRecord<Fields> | undefined): readonly ObjectRef[];
}

export function defineResource<Fields extends JsonObject>(definition: StoredResource<Fields>): StoredResource<Fields> {
  return definition;
}
