import { textAt } from '../../../lib/json-path.ts';
import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { timestamp } from '../../meta.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/build.ts';
import { accessKeyEnd, accessKeyPhase } from '../access-key-life.ts';
import { scopeSchema } from './scope.ts';

export const accessKeyTypes = ['User', 'Login', 'Other', 'Reset', 'OIDCRefreshToken'] as const;
/** The types that clients may choose; the others are the server's own. */
export const clientAccessKeyTypes = ['Other', 'User'] as const;

const identity = t.object(
  {
    userId: t.optional(t.string({ description: 'Subject of the user.' })),
    username: t.optional(t.string({ description: 'Username.' })),
    preferredUsername: t.optional(t.string({ description: 'Preferred username or display name.' })),
    email: t.optional(t.string({ description: 'E-mail address of the user.' })),
    emailVerified: t.optional(t.boolean({ description: 'Whether the e-mail address was verified.' })),
    groups: t.optional(t.array(t.string(), { description: 'Groups from the identity provider.' })),
    connector: t.optional(t.string({ description: 'Connector that the key was created from.' })),
    connectorData: t.optional(
      t.string({ description: 'What the connector needs for later requests. Never returned.' }),
    ),
  },
  { description: 'Login data of single sign-on, where there is any. Written by the server.' },
);

const oidcProvider = t.object(
  {
    clientId: t.optional(t.string({ description: 'Client that the token was generated for.' })),
    nonce: t.optional(t.string({ description: 'Nonce to use.' })),
    redirectUri: t.optional(t.string({ description: 'Redirect URI to use.' })),
    scopes: t.optional(t.string({ description: 'Scopes to use.' })),
  },
  { description: 'Data about the refresh token, if the key is one. Written by the server.' },
);

const oidcLogin = t.object(
  {
    idToken: t.optional(t.string({ description: 'ID token. Never returned.' })),
    accessToken: t.optional(t.string({ description: 'Access token. Never returned.' })),
    refreshToken: t.optional(t.string({ description: 'Refresh token. Never returned.' })),
    lastRefresh: t.optional(t.timestamp({ description: 'When the tokens were last refreshed.' })),
  },
  { description: 'Deprecated: use identity instead. Written by the server.' },
);

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Name to show to people.' })),
    description: t.optional(t.string({ description: 'What the key is for.' })),
    user: t.optional(t.string({ description: 'The user that the key is for.' })),
    team: t.optional(t.string({ description: 'The team that the key is for.' })),
    subject: t.optional(t.string({ description: 'A subject that the key is for, instead of a user or a team.' })),
    groups: t.optional(t.array(t.string(), { description: 'Extra groups that apply when the key is used.' })),
    key: t.optional(
      t.string({ description: 'The key itself, the bearer token. Returned once, by the call that creates it.' }),
    ),
    disabled: t.optional(t.boolean({ description: 'A disabled key exists, but gives no access.' })),
    ttl: t.optional(
      t.integer({ description: 'Lifetime in seconds; 0 or absent: no end, unless the server sets a maximum.' }),
    ),
    ttlAfterLastActivity: t.optional(
      t.boolean({ description: 'Count the lifetime from the last activity instead of from the creation.' }),
    ),
    scope: t.optional(scopeSchema),
    type: t.optional(
      t.string({
        description: "User (also when absent) or Other; Login, Reset and OIDCRefreshToken are the server's own.",
      }),
    ),
    identity: t.optional(identity),
    identityRefresh: t.optional(t.timestamp({ description: 'When the identity was last refreshed.' })),
    oidcProvider: t.optional(oidcProvider),
    parent: t.optional(t.string({ description: 'Deprecated. Shares login data between keys. Written by the server.' })),
    oidcLogin: t.optional(oidcLogin),
  },
  { description: 'The key as it should be.' },
);

const status = t.object(
  { lastActivity: t.optional(t.timestamp({ description: 'When the key was last used.' })) },
  { description: 'What the server observed.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type AccessKeySpec = Static<typeof spec>;

const columns = [
  column('Display Name', 'spec.displayName', { description: 'Name to show to people.' }),
  column('User', 'spec.user', { description: 'User that the key is for.' }),
  column('Team', 'spec.team', { description: 'Team that the key is for.' }),
  column('Type', 'spec.type', { description: 'Type of the key.' }),
  column('Status', accessKeyPhase, { description: 'Active, Disabled or Expired.' }),
  column(
    'Expires',
    (object) => {
      const end = accessKeyEnd(object);
      return end === undefined ? 'never' : timestamp(end);
    },
    { description: 'When the key ends.' },
  ),
  column('Last Activity', (object) => textAt(object, 'status', 'lastActivity') || undefined, {
    type: 'date',
    description: 'How long ago the key was last used.',
  }),
  ageColumn,
];

const shared = {
  group: managementGroup,
  version: managementVersion,
  namespaced: false,
  confidential: true,
  schema,
  columns,
  selectableFields: ['spec.user', 'spec.team', 'spec.type'],
} as const;

/** Everybody's keys, for admins. */
export const accessKeyKind = defineKind({
  ...shared,
  kind: 'AccessKey',
  plural: 'accesskeys',
  singular: 'accesskey',
  description: 'An access key of any user or team.',
});

/** The same keys, those of the caller and of the caller's teams. */
export const ownedAccessKeyKind = defineKind({
  ...shared,
  kind: 'OwnedAccessKey',
  plural: 'ownedaccesskeys',
  singular: 'ownedaccesskey',
  categories: [managementCategory],
  description: 'An access key of the caller, or of a team that the caller is in.',
});

export type AccessKey = ObjectOf<typeof accessKeyKind>;
