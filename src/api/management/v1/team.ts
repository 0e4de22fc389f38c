import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { accessSchema } from './access.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import { ownerSchema } from './owner.ts';

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the team.')),
    owner: t.optional(ownerSchema),
    users: t.optional(
      t.array(t.string(), { description: 'Users who are members of the team. Only admins may set this field.' }),
    ),
    groups: t.optional(
      t.array(t.string(), {
        description: 'Groups of callers that use an access key of the team. Only admins may set this field.',
      }),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'Desired state of the team.' },
);

const schema = t.object({ spec: t.optional(spec) });

export type TeamSpec = Static<typeof spec>;

export const teamKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'Team',
  plural: 'teams',
  singular: 'team',
  categories: [managementCategory],
  namespaced: false,
  description: 'A group of users. Permissions that are granted to a team apply to all its members.',
  schema,
  columns: [
    column('Display Name', 'spec.displayName', { description: 'Human-readable name.' }),
    column<Static<typeof schema>>('Users', (object) => (object.spec?.users ?? []).length, {
      type: 'integer',
      description: 'Number of users in the team.',
    }),
    ageColumn,
  ],
});

export type Team = ObjectOf<typeof teamKind>;
