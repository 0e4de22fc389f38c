import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { timestamp } from '../../meta.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { Column, ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { accessKeyExpiry, accessKeyNotice, accessKeyPhase } from '../access-key-expiry.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import { scopeSchema } from './scope.ts';

export const accessKeyTypes = [
  'User',
  'Login',
  'Other',
  'Reset',
  'OIDCRefreshToken',
  // A join token that no agent has used yet.
  'AgentJoin',
  // The key of an agent that has joined. It is not a bearer token: the agent signs its requests with a private key.
  'Agent',
] as const;
/** The types of access keys that clients may set. Only the server sets the other types. */
export const clientAccessKeyTypes = ['Other', 'User'] as const;

const identity = t.object(
  {
    userId: t.optional(t.string({ description: 'Subject claim of the user at the identity provider.' })),
    username: t.optional(t.string({ description: 'Username at the identity provider.' })),
    preferredUsername: t.optional(
      t.string({ description: 'Preferred username or display name at the identity provider.' }),
    ),
    email: t.optional(t.string({ description: 'Email address of the user.' })),
    emailVerified: t.optional(t.boolean({ description: 'True if the identity provider verified the email address.' })),
    groups: t.optional(t.array(t.string(), { description: 'Groups that the identity provider reports.' })),
    connector: t.optional(t.string({ description: 'Name of the identity provider connector that the login used.' })),
    connectorData: t.optional(
      t.string({ description: 'Data that the connector needs for later requests. Never returned.' }),
    ),
  },
  {
    description:
      'Identity of the user at the identity provider. Present if a single sign-on login created the key. Set by the server.',
  },
);

const oidcProvider = t.object(
  {
    clientId: t.optional(t.string({ description: 'OIDC client that the token was issued to.' })),
    nonce: t.optional(t.string({ description: 'Nonce of the authorization request.' })),
    redirectUri: t.optional(t.string({ description: 'Redirect URI of the authorization request.' })),
    scopes: t.optional(t.string({ description: 'Scopes of the authorization request.' })),
  },
  { description: 'OIDC authorization request. Present if the key is an OIDC refresh token. Set by the server.' },
);

const oidcLogin = t.object(
  {
    idToken: t.optional(t.string({ description: 'ID token. Never returned.' })),
    accessToken: t.optional(t.string({ description: 'Access token. Never returned.' })),
    refreshToken: t.optional(t.string({ description: 'Refresh token. Never returned.' })),
    lastRefresh: t.optional(t.timestamp({ description: 'Time at which the tokens were last refreshed.' })),
  },
  { description: 'Tokens of a single sign-on login. Deprecated: use identity instead. Set by the server.' },
);

const agentKey = t.object(
  {
    publicKey: t.string({
      description: 'PEM-encoded public key with which the server verifies the requests of the agent.',
    }),
    fingerprint: t.string({ description: 'Fingerprint of the public key: SHA256: and its hash in base64.' }),
    joinedAt: t.timestamp({ description: 'Time at which the agent joined.' }),
    host: t.optional(
      t.string({
        description: 'Type of the cluster of the agent, which it reported when it joined: built-in or kubernetes.',
      }),
    ),
  },
  { description: 'Key of an agent that has joined. Set by the server.' },
);

const agentJoin = t.object(
  {
    agents: t.integer({ description: 'Number of agents that may join with the token.' }),
    joined: t.array(
      t.object({
        fingerprint: t.string({ description: 'Fingerprint of the public key of the agent.' }),
        host: t.string({ description: 'Type of the cluster of the agent: built-in or kubernetes.' }),
        accessKey: t.optional(t.string({ description: 'Name of the access key of the agent, after it was created.' })),
      }),
      { description: 'Agents that have joined with the token.', mapKeys: ['fingerprint'] },
    ),
  },
  { description: 'Use of a join token for several agents. Set by the server.' },
);

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the key.')),
    user: t.optional(t.string({ description: 'Name of the user that the key belongs to.' })),
    team: t.optional(t.string({ description: 'Name of the team that the key belongs to.' })),
    subject: t.optional(
      t.string({ description: 'Subject that the key authenticates as. It takes the place of a user or a team.' }),
    ),
    groups: t.optional(
      t.array(t.string(), {
        description: 'Groups that the caller of a request with this key has in addition to its other groups.',
      }),
    ),
    key: t.optional(
      t.string({
        description: 'Bearer token of the key. Returned only once, in the response to the request that creates it.',
      }),
    ),
    disabled: t.optional(t.boolean({ description: 'If true, requests with this key are rejected.' })),
    ttl: t.optional(
      t.integer({
        description: 'Lifetime in seconds. If 0 or absent, the key does not expire, unless the server sets a maximum.',
      }),
    ),
    ttlAfterLastActivity: t.optional(
      t.boolean({ description: 'If true, the lifetime starts at the last use of the key instead of at its creation.' }),
    ),
    scope: t.optional(scopeSchema),
    allowedCIDRs: t.optional(
      t.array(t.string(), {
        description:
          'Address ranges, such as 10.0.0.0/8, from which the key may be used. If absent or empty, from everywhere. Keys that are created with the key can be used only from there too.',
      }),
    ),
    type: t.optional(
      t.string({
        description:
          'Type of the key: User or Other. Only the server sets Login, Reset, OIDCRefreshToken, AgentJoin and Agent. Defaults to User.',
      }),
    ),
    identity: t.optional(identity),
    identityRefresh: t.optional(t.timestamp({ description: 'Time at which the server last refreshed the identity.' })),
    oidcProvider: t.optional(oidcProvider),
    parent: t.optional(
      t.string({
        description: 'Name of the access key whose login data this key shares. Deprecated. Set by the server.',
      }),
    ),
    oidcLogin: t.optional(oidcLogin),
    agentKey: t.optional(agentKey),
    agentJoin: t.optional(agentJoin),
    createdBy: t.optional(
      t.string({
        description:
          'Name of the user who created the key; if a key of a team or of a subject created it, the name of that caller. Set by the server.',
      }),
    ),
    createdWith: t.optional(
      t.string({ description: 'Name of the access key or login with which the key was created. Set by the server.' }),
    ),
  },
  { description: 'Desired state of the access key.' },
);

const status = t.object(
  {
    lastActivity: t.optional(t.timestamp({ description: 'Time at which the key was last used.' })),
    disableAt: t.optional(
      t.timestamp({
        description:
          'Time at which the server disables the key of a team, because its creator left the team, was disabled or was deleted.',
      }),
    ),
    message: t.optional(t.string({ description: 'Reason why the server disabled the key, or is about to do so.' })),
  },
  { description: 'Observed state of the access key.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type AccessKeySpec = Static<typeof spec>;

const columns: readonly Column<Static<typeof schema>>[] = [
  column('Display Name', 'spec.displayName', { description: 'Human-readable name.' }),
  column('User', 'spec.user', { description: 'User that the key belongs to.' }),
  column('Team', 'spec.team', { description: 'Team that the key belongs to.' }),
  column('Type', 'spec.type', { description: 'Type of the key.' }),
  column('Status', accessKeyPhase, { description: 'State of the key: Active, Disabled or Expired.' }),
  column(
    'Expires',
    (object) => {
      const end = accessKeyExpiry(object);
      return end === undefined ? 'never' : timestamp(end);
    },
    { description: 'Time at which the key expires.' },
  ),
  column('Created By', 'spec.createdBy', { description: 'User who created the key.' }),
  column('Last Activity', (object) => object.status?.lastActivity || undefined, {
    type: 'date',
    description: 'Time since the key was last used.',
  }),
  ageColumn,
  column('Notice', accessKeyNotice, {
    description: 'Reason why the key was or will be disabled, or that it expires soon or is unused.',
  }),
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

/** The access keys of all users and teams. Only admins have access to this kind. */
export const accessKeyKind = defineKind({
  ...shared,
  kind: 'AccessKey',
  plural: 'accesskeys',
  singular: 'accesskey',
  description: 'An access key of any user or team.',
});

/**
 * The kind of the access keys of the caller and of the caller's teams. It serves the same objects as the kind
 * AccessKey.
 */
export const ownedAccessKeyKind = defineKind({
  ...shared,
  kind: 'OwnedAccessKey',
  plural: 'ownedaccesskeys',
  singular: 'ownedaccesskey',
  categories: [managementCategory],
  description: 'An access key of the caller, or of a team that the caller is a member of.',
});

export type AccessKey = ObjectOf<typeof accessKeyKind>;
