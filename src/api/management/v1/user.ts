import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { accessSchema } from './access.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';

const identityLink = t.object({
  issuer: t.string({ description: 'Issuer URL of the identity provider.' }),
  subject: t.string({ description: 'Subject claim of the user at the identity provider.' }),
});

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
    allowedCIDRs: t.optional(
      t.array(t.string(), {
        description:
          'Address ranges, such as 10.0.0.0/8, from which the user may log in and use access keys. If absent or empty, from everywhere. Only admins may set this field.',
      }),
    ),
    identities: t.optional(
      t.array(identityLink, {
        description:
          'Identities at identity providers with which the user signs in. The server adds the first one when it creates the user at the first sign-in. Only admins may set this field.',
      }),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'Desired state of the user.' },
);

const identityStates = ['Active', 'Expired', 'Unavailable', 'Gone'] as const;

const identity = t.object({
  connector: t.string({ description: 'Name of the connector with which the user signed in last.' }),
  issuer: t.string({ description: 'Issuer URL of the identity provider.' }),
  subject: t.string({ description: 'Subject claim of the user at the identity provider.' }),
  username: t.optional(t.string({ description: 'Username at the identity provider.' })),
  email: t.optional(t.string({ description: 'Email address that the identity provider reports.' })),
  emailVerified: t.optional(t.boolean({ description: 'True if the identity provider verified the email address.' })),
  picture: t.optional(t.string({ description: 'URL of a picture of the user.' })),
  groups: t.optional(
    t.array(t.string(), {
      description:
        'Groups that the identity provider reports. Never returned here: spec.identity.groups of the access keys of the user contains them.',
    }),
  ),
  teams: t.optional(
    t.array(t.string(), { description: 'Teams that the user is a member of because of these groups.' }),
  ),
  admin: t.optional(t.boolean({ description: 'True if the user is an administrator because of these groups.' })),
  groupsPrefix: t.optional(
    t.string({ description: 'Prefix of these groups in clusters, from the settings of the connector.' }),
  ),
  state: t.enumOf(identityStates, {
    description:
      'Active; Expired if the last login ended and the server has no refresh token; Unavailable if the identity provider has not answered for too long; Gone if it reports that the login or the user no longer exists. The user has the groups and teams only while the state is Active.',
  }),
  activeSince: t.optional(t.timestamp({ description: 'Time of the sign-in with which the state became Active.' })),
  lastLogin: t.optional(t.timestamp({ description: 'Time of the last sign-in.' })),
  lastRefresh: t.optional(t.timestamp({ description: 'Time at which the values of this entry last changed.' })),
  message: t.optional(t.string({ description: 'Details about the state.' })),
});

const status = t.object(
  {
    teams: t.optional(t.array(t.string(), { description: 'Teams that the user is a member of.' })),
    identities: t.optional(
      t.array(identity, { description: 'Identities of the user at identity providers, after their first sign-in.' }),
    ),
  },
  { description: 'Observed state of the user.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type UserSpec = Static<typeof spec>;
/** The issuer and the subject. Together they identify a person. */
export type IdentityLink = Static<typeof identityLink>;
export type UserIdentity = Static<typeof identity>;

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
