import { textsAt } from '../../../lib/json-path.ts';
import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/build.ts';
import { accessSchema } from './access.ts';
import { ownerSchema } from './owner.ts';

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Name to show to people.' })),
    description: t.optional(t.string({ description: 'What the team does.' })),
    owner: t.optional(ownerSchema),
    users: t.optional(t.array(t.string(), { description: 'Users that are in the team. Admins only.' })),
    groups: t.optional(t.array(t.string(), { description: 'Groups that keys of the team have. Admins only.' })),
    access: t.optional(accessSchema),
  },
  { description: 'The team as it should be.' },
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
  description: 'Users that work together; rights given to a team hold for all of them.',
  schema,
  columns: [
    column('Display Name', 'spec.displayName', { description: 'Name to show to people.' }),
    column('Users', (object) => textsAt(object, 'spec', 'users').length, {
      type: 'integer',
      description: 'How many users are in the team.',
    }),
    ageColumn,
  ],
});

export type Team = ObjectOf<typeof teamKind>;
