import type { AccessEntry, AccessRule } from '../api/management/v1/access.ts';
import type { Owner } from '../api/management/v1/owner.ts';
import type { Project } from '../api/management/v1/project.ts';
import type { TypedObject } from '../api/meta.ts';

/**
 * Fields that several management kinds have, for code that handles these kinds alike. No kind has all of these fields.
 */
export type SharedFields = {
  spec?: {
    owner?: Owner;
    access?: AccessEntry[];
    extraAccessRules?: AccessRule[];
    members?: NonNullable<NonNullable<Project['spec']>['members']>;
    users?: string[];
  };
  status?: { phase?: string; message?: string };
};

/** An object of any management kind. */
export type SharedObject = TypedObject<SharedFields>;
/** An object of any management kind, for code that does not read the status. */
export type SharedSpecObject = TypedObject<Pick<SharedFields, 'spec'>>;
