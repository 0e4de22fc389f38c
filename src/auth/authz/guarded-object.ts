import type { AccessEntry } from '../../api/management/v1/access.ts';
import type { Owner } from '../../api/management/v1/owner.ts';
import type { TypedObject } from '../../api/meta.ts';

/** The fields of an object that grant permissions on it. Not every kind has both. */
export type GuardedFields = { spec?: { owner?: Owner; access?: AccessEntry[] } };

/** An object of any kind with permission rules. */
export type GuardedObject = TypedObject<GuardedFields>;
