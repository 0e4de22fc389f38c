import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { timestamp } from '../../meta.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { Column, ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { accessKeyExpiry, accessKeyPhase } from '../access-key-expiry.ts';
import { scopeSchema } from './scope.ts';

export const accessKeyTypes = ['User', 'Login', 'Other', 'Reset', 'OIDCRefreshToken'] as const;
/** The types that clients may set. Only the server sets the others. */
export const clientAccessKeyTypes = ['Other', 'User'] as const;

const identity = t.object(
  {
    userId: t.optional(t.string({ description: 'Subject claim of the user at the identity provider.' })),
    username: t.optional(t.string({ description: 'Username at the identity provider.' })),
    preferredUsername: t.optional(t.string({ description: 'Preferred username or display name.' })),
    email: t.optional(t.string({ description: 'Email address of the user.' })),
    emailVerified: t.optional(t.boolean({ description: 'True if the identity provider verified the email address.' })),
    groups: t.optional(t.array(t.string(), { description: 'Groups that the identity provider reports.' })),
    connector: t.optional(t.string({ description: 'Connector of the identity provider that the login used.' })),
    connectorData: t.optional(
      t.string({ description: 'Data that the connector needs for later requests. Never returned.' }),
    ),
  },
  { description: 'Identity from single sign-on, if the key comes from such a login. Set by the server.' },
);

const oidcProvider = t.object(
  {
    clientId: t.optional(t.string({ description: 'OIDC client that the token was issued to.' })),
    nonce: t.optional(t.string({ description: 'Nonce of the authorization request.' })),
    redirectUri: t.optional(t.string({ description: 'Redirect URI of the authorization request.' })),
    scopes: t.optional(t.string({ description: 'Scopes of the authorization request.' })),
  },
  { description: 'Details of the OIDC refresh token, if the key is one. Set by the server.' },
);

const oidcLogin = t.object(
  {
    idToken: t.optional(t.string({ description: 'ID token. Never returned.' })),
    accessToken: t.optional(t.string({ description: 'Access token. Never returned.' })),
    refreshToken: t.optional(t.string({ description: 'Refresh token. Never returned.' })),
    lastRefresh: t.optional(t.timestamp({ description: 'Time at which the tokens were last refreshed.' })),
  },
  { description: 'Deprecated: use identity instead. Set by the server.' },
);

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Human-readable name.' })),
    description: t.optional(t.string({ description: 'Purpose of the key.' })),
    user: t.optional(t.string({ description: 'Name of the user that the key belongs to.' })),
    team: t.optional(t.string({ description: 'Name of the team that the key belongs to.' })),
    subject: t.optional(
      t.string({ description: 'Subject that the key authenticates as, instead of a user or a team.' }),
    ),
    groups: t.optional(t.array(t.string(), { description: 'Additional groups of requests that use the key.' })),
    key: t.optional(
      t.string({
        description: 'Bearer token of the key. Returned only once, in the response to the request that creates it.',
      }),
    ),
    disabled: t.optional(t.boolean({ description: 'If true, the key gives no access.' })),
    ttl: t.optional(
      t.integer({
        description: 'Lifetime in seconds. 0 or absent: the key does not expire, unless the server sets a maximum.',
      }),
    ),
    ttlAfterLastActivity: t.optional(
      t.boolean({ description: 'If true, ttl counts from the last use of the key instead of from its creation.' }),
    ),
    scope: t.optional(scopeSchema),
    type: t.optional(
      t.string({
        description:
          'Type of the key: User or Other. Only the server sets Login, Reset and OIDCRefreshToken. Defaults to User.',
      }),
    ),
    identity: t.optional(identity),
    identityRefresh: t.optional(t.timestamp({ description: 'Time at which the identity was last refreshed.' })),
    oidcProvider: t.optional(oidcProvider),
    parent: t.optional(
      t.string({ description: 'Deprecated. Key whose login data this key shares. Set by the server.' }),
    ),
    oidcLogin: t.optional(oidcLogin),
  },
  { description: 'Desired state of the access key.' },
);

const status = t.object(
  { lastActivity: t.optional(t.timestamp({ description: 'Time at which the key was last used.' })) },
  { description: 'Observed state of the access key.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type AccessKeySpec = Static<typeof spec>;

const columns: readonly Column<Static<typeof schema>>[] = [
  column('Display Name', 'spec.displayName', { description: 'Human-readable name.' }),
  column('User', 'spec.user', { description: 'User that the key belongs to.' }),
  column('Team', 'spec.team', { description: 'Team that the key belongs to.' }),
  column('Type', 'spec.type', { description: 'Type of the key.' }),
  column('Status', accessKeyPhase, { description: 'Active, Disabled or Expired.' }),
  column(
    'Expires',
    (object) => {
      const end = accessKeyExpiry(object);
      return end === undefined ? 'never' : timestamp(end);
    },
    { description: 'Time at which the key expires.' },
  ),
  column('Last Activity', (object) => object.status?.lastActivity || undefined, {
    type: 'date',
    description: 'Time since the key was last used.',
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

/** The access keys of all users and teams, for admins. */
export const accessKeyKind = defineKind({
  ...shared,
  kind: 'AccessKey',
  plural: 'accesskeys',
  singular: 'accesskey',
  description: 'An access key of any user or team.',
});

/** The same access keys, limited to those of the caller and of the caller's teams. */
export const ownedAccessKeyKind = defineKind({
  ...shared,
  kind: 'OwnedAccessKey',
  plural: 'ownedaccesskeys',
  singular: 'ownedaccesskey',
  categories: [managementCategory],
  description: 'An access key of the caller, or of a team that the caller is a member of.',
});

export type AccessKey = ObjectOf<typeof accessKeyKind>;
