import type { FieldError } from '../api/field-error.ts';
import type { KubeObject, TypedObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Write } from '../store/store.ts';
import type { RequestContext } from './context.ts';
import type { ObjectPlace } from './rows.ts';
import type { SentDocument } from './sent-document.ts';
import type { ResourceVerbs } from './verbs.ts';

/**
 * What is stored for an object. `object` is what may be served, without resourceVersion; `hidden` is what never
 * leaves the server (hashes, sealed values): no answer, patch, watch or field ownership can see it.
 */
export interface StoredRecord<Fields extends JsonObject = JsonObject> {
  readonly object: TypedObject<Fields>;
  readonly hidden?: JsonObject;
}

/** A write of an object under way. Hooks read `old` and change `object` and `hidden` in place. */
export interface Draft<Fields extends JsonObject = JsonObject> {
  object: TypedObject<Fields>;
  hidden: JsonObject;
  /** Absent: it is being created. Frozen. */
  readonly old?: StoredRecord<Fields>;
  /**
   * Shown to the caller of this very write and to nobody else: merged over the answer's members (`spec.key` of a new
   * access key). Never stored, never set by a dry run.
   */
  reveal?: JsonObject;
  /** What `object` was sent as, if it is known and it is a new one. */
  readonly document?: SentDocument | undefined;
}

/** An object of another kind that is written or removed in the same transaction (a project's namespace). */
export interface Companion {
  readonly kind: ResourceKind;
  readonly namespace: string;
  readonly name: string;
  /** Absent: it is removed. */
  readonly object?: KubeObject;
}

/**
 * The form in which objects are served, where that need not be the one in which they lie in the store: they may have
 * been written in another version, or before their schema changed.
 */
export interface ServedForm {
  /** Stands in texts that were written in this form, which need no turning. Absent: this form is not the stored one. */
  readonly mark?: string;
  /** The apiVersion in which objects are stored. */
  readonly storedVersion: string;
  /** Whether `turn` would leave the object as it is. False: it is not known. */
  isTurned(object: KubeObject): boolean;
  /** Brings an object into this form, from whatever form it was stored in. It is the caller's own copy. */
  turn(object: KubeObject): KubeObject;
  /** What is stored of an object of this form, where that is not the stored one. It is the caller's own copy. */
  toStored?(object: KubeObject): KubeObject;
}

/**
 * Seals what lies in the store. `purpose` is bound in: what was sealed for one place opens in no other. `open` throws
 * for what was not sealed so.
 */
export interface RowSealing {
  seal(purpose: string, clear: string): string;
  open(purpose: string, sealed: string): string;
}

/**
 * A stored kind: its data, and functions where it differs from the plain rules. Order of a write: decode, defaults,
 * prune → system metadata → `prepare` → schema and metadata validation, `validate` → claims, indexes → store.
 */
export interface StoredResource<Fields extends JsonObject = JsonObject> extends ResourceKind<Fields> {
  /** `status` is a subresource: main writes leave it, status writes touch nothing else. */
  readonly hasStatus: boolean;
  /** The verbs that clients have; absent: all of them. The server's own code has all of them in any case. */
  readonly verbs?: readonly (keyof ResourceVerbs)[];
  /** PUT without a resourceVersion overwrites (most core kinds); otherwise it is a 422. */
  readonly unconditionalUpdate?: boolean;
  /** PUT of what is not there creates it (events, leases). */
  readonly createOnUpdate?: boolean;
  /** The rule that names follow. Absent: DNS subdomain. */
  readonly nameRule?: 'subdomain' | 'label' | 'path-segment';
  /** The longest name. Absent: 253, or 63 for labels. */
  readonly maxNameLength?: number;
  /** Without name and generateName the server names the object with this prefix (access keys). */
  readonly autoName?: string;
  /** `gracePeriodSeconds` delays removal (completions §2.1). True for every management kind. */
  readonly gracePeriods?: boolean;
  /** Members that `prepare` takes in and that are never served: nobody owns them. `[['spec', 'key']]`. */
  readonly writeOnly?: readonly (readonly string[])[];
  /**
   * The rows of the kind lie in the store sealed as a whole (secrets): the values, and whatever else of an object tells
   * them, such as the annotation in which kubectl keeps all that it applied. In memory they are clear.
   */
  readonly sealing?: RowSealing;
  /** Absent: objects are served as they lie in the store. */
  readonly form?: ServedForm;
  /** Members that `prepare` fills in at creation where they were not sent: nobody owns them then. */
  readonly unowned?: readonly (readonly string[])[];
  /** A finalizer that the server puts on at creation and that only the server takes off. */
  readonly keptFinalizer?: string;

  /**
   * Fills in what the server decides and drops what clients may not set. Throws StatusError for whatever is not a
   * field error (403, 404). Must not do anything outside the draft: dry runs come here too. `subresource`: where the
   * write came through one that writes the main part, its name (`WriteOptions.subresource`), else ''.
   */
  prepare?(draft: Draft<Fields>, context: RequestContext, subresource: string): void | Promise<void>;
  /** Every field error beyond the schema. Called after `prepare`. */
  validate?(draft: Draft<Fields>, context: RequestContext): readonly FieldError[] | Promise<readonly FieldError[]>;
  /** Called for a status write instead of the two above. */
  prepareStatus?(draft: Draft<Fields>, context: RequestContext): void;
  /** Every field error of a status write beyond the schema of the status. */
  validateStatus?(
    draft: Draft<Fields>,
    context: RequestContext,
  ): readonly FieldError[] | Promise<readonly FieldError[]>;
  /**
   * Creates that must not overtake each other get the same name here: `prepare` counts against a limit, and two that
   * count at the same moment would both find room. Absent or undefined: they run side by side.
   */
  lane?(sent: TypedObject<Fields>, context: RequestContext): string | undefined;
  /**
   * Names that at most one object of the kind may hold at a time (a key's hash, a place on a host), each with what a
   * second one is told. Held in the same transaction as the object itself.
   */
  claims?(record: StoredRecord<Fields>): readonly string[];
  claimTaken?(claim: string, holder: string, draft: Draft<Fields>): Error;
  /** What has to stand beside the object: written with it, changed with it, removed with it, in one transaction. */
  companions?(record: StoredRecord<Fields>): readonly Companion[];
  /** What a new object brings into other slices of the store, in one transaction with it (a control plane of its own). */
  bornWith?(record: StoredRecord<Fields>): readonly Write[];
  /** When upkeep should look at the object again (milliseconds since the epoch), and what it then does: delete it. */
  expiresAt?(record: StoredRecord<Fields>): number | undefined;
  /** Throws StatusError if this delete is refused (a guard annotation). */
  guardDelete?(record: StoredRecord<Fields>, context: RequestContext): void | Promise<void>;
  /** What a delete is told whose precondition does not hold, where the kind has words of its own for it. */
  preconditionText?(member: 'UID' | 'ResourceVersion', wanted: string, found: string): string;
  /** What a deletion that begins changes besides metadata (a namespace's phase). The object is the caller's own copy. */
  prepareDelete?(object: TypedObject<Fields>): void;
  /** Whether something besides `metadata.finalizers` keeps an object that is being deleted (a namespace's own). */
  isHeld?(object: TypedObject<Fields>): boolean;

  /**
   * Whether there is something to be done about the object after this write: a namespace that is to be emptied, a
   * definition that is to be established. A function of the record alone. While it is true, every write of the object
   * leaves a row for upkeep in the same transaction, so that neither a crash nor the putting away of the plane loses
   * it; a write that makes it false, or removes the object, takes the row away.
   */
  pending?(record: StoredRecord<Fields>): boolean;
  /**
   * Called by upkeep, which loads the plane for it, once at a time for an object, until it is settled. undefined: all
   * is done that can be done until the object is written again or another one `unsettles` it. A number: look again in
   * so many milliseconds, sooner if the object is written. What it throws is logged and tried again, with longer and
   * longer pauses. The object may be gone, or no longer pending; what was done may be asked for again.
   */
  settle?(namespace: string, name: string): Promise<number | undefined>;
  /**
   * Other objects of the plane about which something is to be done because of this write (roles that aggregate this
   * one, definitions that wanted its name): their `settle` is called as if they had been written. Must be quick.
   */
  unsettles?(old: StoredRecord<Fields> | undefined, next: StoredRecord<Fields> | undefined): readonly ObjectPlace[];
}

export function defineResource<Fields extends JsonObject>(definition: StoredResource<Fields>): StoredResource<Fields> {
  return definition;
}
