import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import type { ObjectOf } from '../../../resource.ts';
import { t } from '../../../schema/schema-builder.ts';

/** The lifetime of a reset link in seconds: the default, the minimum and the maximum. */
export const resetLinkSeconds = { default: 24 * 3600, least: 60, most: 7 * 24 * 3600 } as const;

const spec = t.object(
  {
    ttl: t.optional(
      t.integer({ description: 'Lifetime of the link in seconds, from 60 to 604800 (7 days). Defaults to 24 hours.' }),
    ),
  },
  { description: 'Parameters of the request.' },
);

const status = t.object(
  {
    url: t.string({
      description:
        'Link to the page that sets the new password. It works once. Returned only once; anybody who has it can set the password.',
    }),
    expires: t.timestamp({ description: 'Time at which the link expires.' }),
  },
  { description: 'Result of the request. Set by the server.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export const userPasswordResetKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'UserPasswordReset',
  plural: 'userpasswordresets',
  singular: 'userpasswordreset',
  namespaced: false,
  confidential: true,
  description:
    'A request for a link with which a user sets a new password. An earlier link of the user becomes invalid.',
  schema,
});

export type UserPasswordReset = ObjectOf<typeof userPasswordResetKind>;
