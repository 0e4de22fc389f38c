import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';

/** The kinds outside of projects whose objects a review can examine. Instances can be reviewed, too. */
const reviewedResources = [
  'projects',
  'clusters',
  'virtualclustertemplates',
  'spacetemplates',
  'users',
  'teams',
] as const;

const spec = t.object(
  {
    user: t.optional(t.string({ description: 'Name of the user whose access is listed.' })),
    team: t.optional(t.string({ description: 'Name of the team whose access is listed.' })),
    accessKey: t.optional(t.string({ description: 'Name of the access key whose access is listed.' })),
    virtualClusterInstance: t.optional(
      t.object(
        {
          project: t.string({ description: 'Project of the virtual cluster instance.' }),
          name: t.string({ description: 'Name of the virtual cluster instance.' }),
        },
        { description: 'The instance for which all users, teams and access keys with access are listed.' },
      ),
    ),
    spaceInstance: t.optional(
      t.object(
        {
          project: t.string({ description: 'Project of the space instance.' }),
          name: t.string({ description: 'Name of the space instance.' }),
        },
        { description: 'The space for which all users, teams and access keys with access are listed.' },
      ),
    ),
    object: t.optional(
      t.object(
        {
          resource: t.enumOf(reviewedResources, { description: 'Plural name of the kind of the object.' }),
          name: t.string({ description: 'Name of the object.' }),
        },
        { description: 'The object outside of projects for which everyone with access is listed.' },
      ),
    ),
    project: t.optional(
      t.string({
        description: 'Lists only access to this project and its objects. Admins of the project may request this.',
      }),
    ),
    limit: t.optional(
      t.integer({ description: 'Maximum number of entries. Defaults to 500, which is also the maximum.' }),
    ),
    continue: t.optional(t.string({ description: 'Value of status.continue of the previous response.' })),
  },
  {
    description:
      'The subject of the review. Exactly one of user, team, accessKey, virtualClusterInstance, spaceInstance and object must be set.',
  },
);

const texts = (description: string) => t.array(t.string(), { listType: 'atomic', description });

const entry = t.object({
  subject: t.object(
    {
      kind: t.string({ description: 'User, Team or AccessKey.' }),
      name: t.string({ description: 'Name of the user, team or access key.' }),
    },
    { description: 'The subject that has the permissions.' },
  ),
  resource: t.string({ description: 'Plural name of the resource, or * for all resources.' }),
  project: t.optional(t.string({ description: 'Project of the object. Absent if the object is not in a project.' })),
  name: t.optional(
    t.string({ description: 'Name of the object. Absent for permissions that do not depend on an object.' }),
  ),
  verbs: texts('Verbs that are allowed on the object. A subject that may get an object may also list and watch it.'),
  subresources: t.optional(texts('Subresources and fields of the object on which at least one verb is allowed.')),
  clusterRoles: t.optional(
    texts(
      'Cluster roles inside the virtual cluster or space. Present if the object is an instance that the subject may use.',
    ),
  ),
  via: texts('The grants from which the permissions result, from the subject to the object.'),
});

const status = t.object(
  {
    entries: t.array(entry, {
      listType: 'atomic',
      description: 'The permissions. Permissions on one object with different reasons are separate entries.',
    }),
    inactive: t.optional(
      t.string({ description: 'The reason why the subject has no access at all, for example because it is disabled.' }),
    ),
    continue: t.optional(
      t.string({ description: 'Present if there may be more entries. Set spec.continue to it to get them.' }),
    ),
  },
  { description: 'Result of the review. Set by the server.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type EffectiveAccessSpec = Static<typeof spec>;
export type EffectiveAccessEntry = Static<typeof entry>;
export type EffectiveAccessStatus = Static<typeof status>;

export const effectiveAccessReviewKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'EffectiveAccessReview',
  plural: 'effectiveaccessreviews',
  singular: 'effectiveaccessreview',
  namespaced: false,
  description:
    'A list of the permissions of a user, team or access key with the grants that give them, or of everyone who has access to an object.',
  schema,
});

export type EffectiveAccessReview = ObjectOf<typeof effectiveAccessReviewKind>;
