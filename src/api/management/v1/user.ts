import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { accessSchema } from './access.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Description of the user.')),
    username: t.optional(
      t.string({ description: 'Name that the user logs in with. Defaults to the name of the object.' }),
    ),
    email: t.optional(t.string({ description: 'Email address of the user.' })),
    subject: t.optional(
      t.string({
        description: 'Unique name with which the user is known to clusters. Defaults to the name of the object.',
      }),
    ),
    groups: t.optional(t.array(t.string(), { description: 'Groups of the user. Only admins may set this field.' })),
    disabled: t.optional(
      t.boolean({ description: 'If true, the user cannot log in or send requests. Only admins may set this field.' }),
    ),
    password: t.optional(
      t.string({
        description:
          'Password with which the user logs in. Write-only: the server stores only a hash and never returns it.',
      }),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'Desired state of the user.' },
);

const status = t.object(
  { teams: t.optional(t.array(t.string(), { description: 'Teams that the user is a member of.' })) },
  { description: 'Observed state of the user.' },
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
  description: 'A person or a machine account that uses this server.',
  schema,
  columns: [
    column('Display Name', 'spec.displayName', { description: 'Human-readable name.' }),
    column('Email', 'spec.email', { description: 'Email address of the user.' }),
    column('Disabled', 'spec.disabled', {
      type: 'boolean',
      description: 'True if the user is disabled and has no access.',
      wide: true,
    }),
    ageColumn,
  ],
});

export type User = ObjectOf<typeof userKind>;
