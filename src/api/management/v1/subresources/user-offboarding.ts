import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import type { ObjectOf } from '../../../resource.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const spec = t.object(
  {
    transferTo: t.optional(
      t.string({
        description:
          'Name of the user who becomes the owner of everything that the user owns. Required if the user owns anything.',
      }),
    ),
    keepUser: t.optional(
      t.boolean({ description: 'If true, the user is disabled and kept. By default, the user is deleted at the end.' }),
    ),
    revokeUnattributed: t.optional(
      t.boolean({
        description:
          'If true, all service account tokens that were issued until now, whoever created them, are revoked in each virtual cluster that the user may use and that may have tokens without a known creator. By default, these tokens are kept and listed.',
      }),
    ),
  },
  { description: 'Parameters of the request.' },
);

/** The actions of an offboarding. */
const offboardingActions = ['Disable', 'Delete', 'Transfer', 'RemoveAccess', 'Revoke', 'End', 'Keep'] as const;

const item = t.object({
  kind: t.string({ description: 'Kind of the object or credential.' }),
  project: t.optional(t.string({ description: 'Project of the object. Absent if the object is not in a project.' })),
  name: t.string({ description: 'Name of the object.' }),
  action: t.enumOf(offboardingActions, {
    description:
      'Disable: disables the object. Delete: deletes it. Transfer: gives it a new owner. RemoveAccess: removes the access that it grants to the user. Revoke: revokes the credential, or all service account tokens of the virtual cluster. End: it becomes invalid as a consequence. Keep: it is not changed.',
  }),
  message: t.optional(t.string({ description: 'Explanation of the action.' })),
});

const status = t.object(
  {
    items: t.array(item, {
      listType: 'atomic',
      description: 'Everything that the user holds, with the action for each item.',
    }),
    changes: t.integer({
      description: 'Number of objects that this request changed or deleted, or would change or delete with dryRun.',
    }),
    remaining: t.integer({
      description: 'Number of objects that are still to be changed or deleted. Repeat the request until it is 0.',
    }),
  },
  { description: 'Result of the request. Set by the server.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type OffboardingItem = Static<typeof item>;

export const userOffboardingKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'UserOffboarding',
  plural: 'useroffboardings',
  singular: 'useroffboarding',
  namespaced: false,
  description:
    'A request to end all access of a user: disable the user, delete the credentials, transfer what the user owns, and delete the user.',
  schema,
});

export type UserOffboarding = ObjectOf<typeof userOffboardingKind>;
