import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/schema-builder.ts';

export const authorizationGroup = 'authorization.k8s.io';
export const authenticationGroup = 'authentication.k8s.io';

function selectorAttributes(what: string) {
  return t.object(
    {
      rawSelector: t.optional(t.string({ description: 'The selector as text, in the format of the query parameter.' })),
      requirements: t.optional(
        t.array(
          t.object({
            key: t.string({ description: `The ${what} that the requirement applies to.` }),
            operator: t.string({ description: 'The operator: In, NotIn, Exists or DoesNotExist.' }),
            values: t.optional(t.array(t.string(), { listType: 'atomic' })),
          }),
          { listType: 'atomic' },
        ),
      ),
    },
    { description: `Restricts the request by ${what}.` },
  );
}

const resourceAttributes = t.object(
  {
    namespace: t.optional(
      t.string({
        description:
          'The namespace of the request. Empty for a request in all namespaces or on a cluster-scoped resource.',
      }),
    ),
    verb: t.optional(
      t.string({ description: 'The verb: get, list, watch, create, update, patch, delete, or * for all verbs.' }),
    ),
    group: t.optional(t.string({ description: 'The API group, or * for all groups.' })),
    version: t.optional(t.string({ description: 'The API version, or * for all versions.' })),
    resource: t.optional(t.string({ description: 'The plural resource name, or * for all resources.' })),
    subresource: t.optional(
      t.string({ description: 'The name of the subresource. Empty for a request on the resource itself.' }),
    ),
    name: t.optional(t.string({ description: 'The name of the object. Empty for all objects.' })),
    fieldSelector: t.optional(selectorAttributes('field')),
    labelSelector: t.optional(selectorAttributes('label')),
  },
  { description: 'A resource request.' },
);

const nonResourceAttributes = t.object(
  {
    path: t.optional(t.string({ description: 'The URL path.' })),
    verb: t.optional(t.string({ description: 'The HTTP method of the request, in lower case.' })),
  },
  { description: 'A non-resource request.' },
);

const extra = t.map(t.array(t.string()), { description: 'Additional attributes of the user.' });

const subjectSpec = t.object(
  {
    resourceAttributes: t.optional(resourceAttributes),
    nonResourceAttributes: t.optional(nonResourceAttributes),
    user: t.optional(t.string({ description: 'The user to check.' })),
    groups: t.optional(t.array(t.string(), { listType: 'atomic', description: 'The groups of the user.' })),
    extra: t.optional(extra),
    uid: t.optional(t.string({ description: 'The uid of the user.' })),
  },
  {
    description:
      'The user and the request to check. Exactly one of resourceAttributes and nonResourceAttributes must be set.',
  },
);

const accessStatus = t.object(
  {
    allowed: t.boolean({ description: 'True if the request is allowed.' }),
    denied: t.optional(
      t.boolean({ description: 'True if the request is denied and no other authorizer can allow it.' }),
    ),
    reason: t.optional(t.string({ description: 'The reason for the decision.' })),
    evaluationError: t.optional(t.string({ description: 'An error that occurred during the check.' })),
  },
  { description: 'The result.' },
);

const ruleNames = t.array(t.string(), { listType: 'atomic' });

const rulesStatus = t.object(
  {
    resourceRules: t.array(
      t.object({
        verbs: ruleNames,
        apiGroups: t.optional(ruleNames),
        resources: t.optional(ruleNames),
        resourceNames: t.optional(ruleNames),
      }),
      { listType: 'atomic', description: 'The allowed actions on resources.' },
    ),
    nonResourceRules: t.array(t.object({ verbs: ruleNames, nonResourceURLs: t.optional(ruleNames) }), {
      listType: 'atomic',
      description: 'The allowed actions on non-resource paths.',
    }),
    incomplete: t.boolean({
      description: 'True if the user may have permissions that resourceRules and nonResourceRules do not contain.',
    }),
    evaluationError: t.optional(
      t.string({ description: 'An error that occurred while the permissions were evaluated.' }),
    ),
  },
  { description: 'The result.' },
);

type ReviewName = Pick<ResourceKind, 'group' | 'kind'> & Partial<Pick<ResourceKind, 'namespaced'>>;

function review(name: ReviewName, description: string, schema: Parameters<typeof asSchema>[0]): ResourceKind {
  const singular = name.kind.toLowerCase();
  return {
    namespaced: false,
    ...name,
    version: 'v1',
    plural: `${singular}s`,
    singular,
    // Go clients have typed structs only for the review kinds of these two Kubernetes groups.
    builtIn: name.group === authorizationGroup || name.group === authenticationGroup,
    description,
    schema: asSchema(schema),
  };
}

export function selfSubjectAccessReviewKind(group: string): ResourceKind {
  return review(
    { group, kind: 'SelfSubjectAccessReview' },
    'Checks whether the caller may perform an action.',
    t.object({
      spec: t.object(
        {
          resourceAttributes: t.optional(resourceAttributes),
          nonResourceAttributes: t.optional(nonResourceAttributes),
        },
        {
          description: 'The request to check. Exactly one of resourceAttributes and nonResourceAttributes must be set.',
        },
      ),
      status: t.optional(accessStatus),
    }),
  );
}

export function subjectAccessReviewKind(group: string): ResourceKind {
  return review(
    { group, kind: 'SubjectAccessReview' },
    'Checks whether a user may perform an action.',
    t.object({ spec: subjectSpec, status: t.optional(accessStatus) }),
  );
}

export function selfSubjectRulesReviewKind(group: string): ResourceKind {
  return review(
    { group, kind: 'SelfSubjectRulesReview' },
    'Lists the actions that the caller may perform in a namespace. For display only, not for authorization decisions.',
    t.object({
      spec: t.object(
        {
          namespace: t.optional(
            t.string({ description: 'The namespace in which the permissions are evaluated. Required.' }),
          ),
        },
        { description: 'The request to evaluate.' },
      ),
      status: t.optional(rulesStatus),
    }),
  );
}

export const localSubjectAccessReviewKind: ResourceKind = review(
  { group: authorizationGroup, kind: 'LocalSubjectAccessReview', namespaced: true },
  'Checks whether a user may perform an action in a namespace.',
  t.object({ spec: subjectSpec, status: t.optional(accessStatus) }),
);

export const selfSubjectReviewKind: ResourceKind = review(
  { group: authenticationGroup, kind: 'SelfSubjectReview' },
  'Returns the identity of the caller.',
  t.object({
    status: t.optional(
      t.object(
        {
          userInfo: t.optional(
            t.object({
              username: t.optional(t.string({ description: 'The name of the user.' })),
              uid: t.optional(t.string({ description: 'The uid of the user.' })),
              groups: t.optional(t.array(t.string(), { listType: 'atomic', description: 'The groups of the user.' })),
              extra: t.optional(extra),
            }),
          ),
        },
        { description: 'The result.' },
      ),
    ),
  }),
);
