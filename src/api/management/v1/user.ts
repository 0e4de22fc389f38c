import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/build.ts';
import { accessSchema } from './access.ts';

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Name to show to people.' })),
    description: t.optional(t.string({ description: 'Who this is.' })),
    username: t.optional(t.string({ description: 'Name that the user logs in with; absent: the name of the object.' })),
    email: t.optional(t.string({ description: 'E-mail address of the user.' })),
    subject: t.optional(
      t.string({ description: 'Who the user is towards clusters; absent: the name of the object. Unique.' }),
    ),
    groups: t.optional(t.array(t.string(), { description: 'Groups that the user is in. Admins only.' })),
    disabled: t.optional(t.boolean({ description: 'A disabled user has no access. Admins only.' })),
    password: t.optional(
      t.string({
        description: 'Password for logins. Write-only: only a slow hash of it is kept, nothing is returned.',
      }),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'The user as it should be.' },
);

const status = t.object(
  { teams: t.optional(t.array(t.string(), { description: 'Teams that the user is in.' })) },
  { description: 'What the server observed.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type UserSpec = Static<typeof spec>;

export const userKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'User',
  plural: 'users',
  singular: 'user',
  categories: [managementCategory],
  namespaced: false,
  confidential: true,
  description: 'A person, or a machine account, that uses this server.',
  schema,
  columns: [
    column('Display Name', 'spec.displayName', { description: 'Name to show to people.' }),
    column('Email', 'spec.email', { description: 'E-mail address.' }),
    column('Disabled', 'spec.disabled', {
      type: 'boolean',
      description: 'Whether the user has no access.',
      wide: true,
    }),
    ageColumn,
  ],
});

export type User = ObjectOf<typeof userKind>;
