import type { AccessEntry } from '../../api/management/v1/access.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import type { TypedObject } from '../../api/meta.ts';

/** The fields through which an object itself grants permissions. A kind without one of them never has it. */
export type GuardedFields = { spec?: { owner?: Owner; access?: AccessEntry[] } };

/** An object of any kind that has permission rules. */
export type GuardedObject = TypedObject<GuardedFields>;
