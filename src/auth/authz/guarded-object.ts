import type { AccessEntry } from '../../api/management/v1/access.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import type { TypedObject } from '../../api/meta.ts';

/** The fields of an object that grant permissions on it. Most kinds have only some of these fields. */
export type GuardedFields = {
  spec?: { owner?: Owner; access?: AccessEntry[] };
  /** Only of an activity record: the object that the record describes. */
  involvedObject?: { kind: string; namespace?: string; name: string; uid: string };
  /** Only of an activity record: the UID of the project that contained the object. */
  projectUid?: string;
};

/** An object of any kind with permission rules. */
export type GuardedObject = TypedObject<GuardedFields>;
