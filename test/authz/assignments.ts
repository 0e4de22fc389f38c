import type { JsonValue } from '@flotilla/json';
import { adminsGroup, userGroup } from '../../src/api/naming.ts';

/** A member, and the value that an attacker would set. */
export type Field = readonly [path: readonly string[], value: JsonValue];

/** Fields that no client may set, on any kind. */
export const serverFields: readonly Field[] = [
  [['metadata', 'uid'], '00000000-0000-4000-8000-000000000000'],
  [['metadata', 'creationTimestamp'], '2001-01-01T00:00:00Z'],
  [['metadata', 'deletionTimestamp'], '2001-01-01T00:00:00Z'],
  [['metadata', 'generation'], 99],
];

export interface Target {
  readonly plural: string;
  readonly kind: string;
  readonly project?: string;
  readonly name: string;
  /** A user who may write the object, but not the fields. */
  readonly who: string;
  readonly mayCreate: boolean;
  readonly fields: readonly Field[];
}

/** For each kind: a user who may write it, and the fields in it that the user may not write. */
export const targets: readonly Target[] = [
  {
    plural: 'virtualclusterinstances',
    kind: 'VirtualClusterInstance',
    project: 'red',
    name: 'r-user',
    who: 'red-user',
    mayCreate: true,
    fields: [
      [['status'], { phase: 'Stolen', serviceUID: 'stolen' }],
      [['spec', 'owner'], { user: 'blue-user' }],
      [['spec', 'owner'], { team: 'crew' }],
      [['spec', 'clusterRef'], { namespace: 'kube-system', virtualCluster: 'other' }],
      [['spec', 'external'], true],
      [['spec', 'template'], { metadata: { labels: { a: 'b' } } }],
    ],
  },
  {
    plural: 'spaceinstances',
    kind: 'SpaceInstance',
    project: 'red',
    name: 's-user',
    who: 'red-user',
    mayCreate: true,
    fields: [
      [['status'], { phase: 'Stolen', hostNamespace: { cluster: 'stolen', name: 'kube-system', uid: 'stolen' } }],
      [['spec', 'owner'], { user: 'blue-user' }],
      [['spec', 'owner'], { team: 'crew' }],
      [['spec', 'clusterRef'], { namespace: 'kube-system' }],
      [['spec', 'template'], { metadata: { labels: { a: 'b' } } }],
      [['spec', 'extraAccessRules'], [{ users: ['red-user'], clusterRole: 'cluster-admin' }]],
    ],
  },
  {
    plural: 'ownedaccesskeys',
    kind: 'OwnedAccessKey',
    name: 'key-red-user',
    who: 'red-user',
    mayCreate: true,
    fields: [
      [['status'], { lastActivity: '2001-01-01T00:00:00Z' }],
      [['spec', 'user'], 'second-admin'],
      [['spec', 'team'], 'leads'],
      [['spec', 'subject'], 'admin-robot'],
      [['spec', 'groups'], [adminsGroup]],
      [['spec', 'groups'], ['system:masters']],
      [['spec', 'groups'], [userGroup('second-admin')]],
      [['spec', 'type'], 'Login'],
      [['spec', 'type'], 'Reset'],
      [['spec', 'type'], 'OIDCRefreshToken'],
      [['spec', 'identity'], { userId: 'second-admin', groups: [adminsGroup] }],
      [['spec', 'identityRefresh'], '2001-01-01T00:00:00Z'],
      [['spec', 'oidcProvider'], { clientId: 'stolen' }],
      [['spec', 'parent'], 'admin'],
      [['spec', 'oidcLogin'], { lastRefresh: '2001-01-01T00:00:00Z' }],
    ],
  },
  {
    plural: 'projects',
    kind: 'Project',
    name: 'red',
    who: 'red-admin',
    mayCreate: false,
    fields: [
      [['status'], { quotas: { project: { limit: { virtualclusterinstances: '9' } } } }],
      [['spec', 'owner'], { user: 'red-admin' }],
      [['spec', 'allowedClusters'], [{ name: '*' }]],
      [['spec', 'allowedTemplates'], [{ name: '*' }]],
      [['spec', 'quotas'], { project: { virtualclusterinstances: 1000 } }],
      [['spec', 'requireTemplate'], { disabled: false }],
    ],
  },
  {
    plural: 'users',
    kind: 'User',
    name: 'red-user',
    who: 'red-user',
    mayCreate: false,
    fields: [
      [['status'], { teams: ['leads'] }],
      [['spec', 'groups'], [adminsGroup]],
      [['spec', 'subject'], 'admin'],
      [['spec', 'disabled'], true],
      [['spec', 'allowedCIDRs'], ['0.0.0.0/0']],
      [['spec', 'identities'], [{ issuer: 'https://login.example', subject: 'admin' }]],
      [['spec', 'username'], 'admin'],
      [['spec', 'access'], [{ verbs: ['*'], users: ['*'] }]],
    ],
  },
  {
    plural: 'teams',
    kind: 'Team',
    name: 'team-kept',
    who: 'keeper',
    mayCreate: false,
    fields: [
      [['spec', 'users'], ['keeper']],
      [['spec', 'groups'], [adminsGroup]],
      [['spec', 'owner'], { user: 'outsider' }],
      [['spec', 'access'], [{ verbs: ['*'], users: ['*'] }]],
    ],
  },
  {
    plural: 'clusters',
    kind: 'Cluster',
    name: 'c-kept',
    who: 'keeper',
    mayCreate: false,
    fields: [
      [['status'], { phase: 'Initialized', online: true }],
      [['spec', 'local'], true],
      [['spec', 'unusable'], true],
      [['spec', 'directEndpoint'], { host: 'evil.example' }],
      [['spec', 'owner'], { user: 'outsider' }],
      [['spec', 'access'], [{ verbs: ['*'], users: ['*'] }]],
    ],
  },
  {
    plural: 'spacetemplates',
    kind: 'SpaceTemplate',
    name: 'st-kept',
    who: 'keeper',
    mayCreate: false,
    fields: [
      [['status'], { conditions: [{ type: 'Ready', status: 'True' }] }],
      [['spec', 'template'], { metadata: { labels: { a: 'b' } } }],
      [['spec', 'owner'], { user: 'outsider' }],
      [['spec', 'access'], [{ verbs: ['*'], users: ['*'] }]],
    ],
  },
  {
    plural: 'virtualclustertemplates',
    kind: 'VirtualClusterTemplate',
    name: 't-kept',
    who: 'keeper',
    mayCreate: false,
    fields: [
      [['status'], { conditions: [{ type: 'Ready', status: 'True' }] }],
      [['spec', 'template'], { metadata: { labels: { a: 'b' } } }],
      [['spec', 'owner'], { user: 'outsider' }],
      [['spec', 'access'], [{ verbs: ['*'], users: ['*'] }]],
    ],
  },
];
