import type { FieldError } from '../api/field-error.ts';
import type { KubeObject } from '../api/meta.ts';
import type { ResourceKind } from '../api/resource.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { RequestContext } from './context.ts';
import type { ResourceVerbs } from './verbs.ts';

/**
 * What is stored for an object. `object` is what may be served, without resourceVersion; `hidden` is what never
 * leaves the server (hashes, sealed values): no answer, patch, watch or field ownership can see it.
 */
export interface StoredRecord {
  readonly object: KubeObject;
  readonly hidden?: JsonObject;
}

/** A write of an object under way. Hooks read `old` and change `object` and `hidden` in place. */
export interface Draft {
  object: KubeObject;
  hidden: JsonObject;
  /** Absent: it is being created. Frozen. */
  readonly old?: StoredRecord;
  /**
   * Shown to the caller of this very write and to nobody else: merged over the answer's members (`spec.key` of a new
   * access key). Never stored, never set by a dry run.
   */
  reveal?: JsonObject;
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
 * A stored kind: its data, and functions where it differs from the plain rules. Order of a write: decode, defaults,
 * prune → system metadata → `prepare` → schema and metadata validation, `validate` → claims, indexes → store.
 */
export interface StoredResource extends ResourceKind {
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
  /** A finalizer that the server puts on at creation and that only the server takes off. */
  readonly keptFinalizer?: string;

  /**
   * Fills in what the server decides and drops what clients may not set. Throws StatusError for whatever is not a
   * field error (403, 404). Must not do anything outside the draft: dry runs come here too.
   */
  prepare?(draft: Draft, context: RequestContext): void | Promise<void>;
  /** Every field error beyond the schema. Called after `prepare`. */
  validate?(draft: Draft, context: RequestContext): readonly FieldError[] | Promise<readonly FieldError[]>;
  /** Called for a status write instead of the two above. */
  prepareStatus?(draft: Draft, context: RequestContext): void;
  /**
   * Creates that must not overtake each other get the same name here: `prepare` counts against a limit, and two that
   * count at the same moment would both find room. Absent or undefined: they run side by side.
   */
  lane?(sent: KubeObject, context: RequestContext): string | undefined;
  /**
   * Names that at most one object of the kind may hold at a time (a key's hash, a place on a host), each with what a
   * second one is told. Held in the same transaction as the object itself.
   */
  claims?(record: StoredRecord): readonly string[];
  claimTaken?(claim: string, holder: string, draft: Draft): Error;
  /** What has to stand beside the object: written with it, changed with it, removed with it, in one transaction. */
  companions?(record: StoredRecord): readonly Companion[];
  /** When upkeep should look at the object again (milliseconds since the epoch), and what it then does: delete it. */
  expiresAt?(record: StoredRecord): number | undefined;
  /** Throws StatusError if this delete is refused (a guard annotation). */
  guardDelete?(record: StoredRecord, context: RequestContext): void | Promise<void>;
}

export function defineResource(definition: StoredResource): StoredResource {
  return definition;
}
