import type { ResourceKind } from '../resource.ts';
import { asSchema, t } from '../schema/build.ts';

export const authorizationGroup = 'authorization.k8s.io';
export const authenticationGroup = 'authentication.k8s.io';

function selectorAttributes(what: string) {
  return t.object(
    {
      rawSelector: t.optional(t.string({ description: 'The selector as it stands in the query.' })),
      requirements: t.optional(
        t.array(
          t.object({
            key: t.string({ description: `The ${what} that is selected by.` }),
            operator: t.string({ description: 'In, NotIn, Exists or DoesNotExist.' }),
            values: t.optional(t.array(t.string(), { listType: 'atomic' })),
          }),
          { listType: 'atomic' },
        ),
      ),
    },
    { description: `Narrows the request by ${what}.` },
  );
}

const resourceAttributes = t.object(
  {
    namespace: t.optional(t.string({ description: 'Empty: all namespaces, or a kind that has none.' })),
    verb: t.optional(t.string({ description: 'get, list, watch, create, update, patch, delete; * is all of them.' })),
    group: t.optional(t.string({ description: 'The API group; * is all of them.' })),
    version: t.optional(t.string({ description: 'The API version; * is all of them.' })),
    resource: t.optional(t.string({ description: 'The plural; * is all of them.' })),
    subresource: t.optional(t.string({ description: 'Empty: none.' })),
    name: t.optional(t.string({ description: 'Empty: all of them.' })),
    fieldSelector: t.optional(selectorAttributes('field')),
    labelSelector: t.optional(selectorAttributes('label')),
  },
  { description: 'A request for objects.' },
);

const nonResourceAttributes = t.object(
  {
    path: t.optional(t.string({ description: 'The path of the URL.' })),
    verb: t.optional(t.string({ description: 'The method in lower case.' })),
  },
  { description: 'A request for a path that names no objects.' },
);

const extra = t.map(t.array(t.string()), { description: 'What else is known of the user.' });

const subjectSpec = t.object(
  {
    resourceAttributes: t.optional(resourceAttributes),
    nonResourceAttributes: t.optional(nonResourceAttributes),
    user: t.optional(t.string({ description: 'The user who is asked about.' })),
    groups: t.optional(t.array(t.string(), { listType: 'atomic', description: 'The groups the user is in.' })),
    extra: t.optional(extra),
    uid: t.optional(t.string({ description: 'The uid of the user.' })),
  },
  { description: 'Exactly one of resourceAttributes and nonResourceAttributes, and who is asked about.' },
);

const accessStatus = t.object(
  {
    allowed: t.boolean({ description: 'Whether it is allowed.' }),
    denied: t.optional(t.boolean({ description: 'Whether it is denied whatever others say.' })),
    reason: t.optional(t.string({ description: 'Why.' })),
    evaluationError: t.optional(t.string({ description: 'What went wrong while deciding.' })),
  },
  { description: 'The answer.' },
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
      { listType: 'atomic', description: 'What may be done to objects.' },
    ),
    nonResourceRules: t.array(t.object({ verbs: ruleNames, nonResourceURLs: t.optional(ruleNames) }), {
      listType: 'atomic',
      description: 'What may be done with other paths.',
    }),
    incomplete: t.boolean({ description: 'Whether there may be more than is listed.' }),
    evaluationError: t.optional(t.string({ description: 'What went wrong while collecting.' })),
  },
  { description: 'The answer.' },
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
    // Typed Go clients know only the two Kubernetes groups.
    builtIn: name.group === authorizationGroup || name.group === authenticationGroup,
    description,
    schema: asSchema(schema),
  };
}

export function selfSubjectAccessReviewKind(group: string): ResourceKind {
  return review(
    { group, kind: 'SelfSubjectAccessReview' },
    'Asks whether the caller may do something.',
    t.object({
      spec: t.object(
        {
          resourceAttributes: t.optional(resourceAttributes),
          nonResourceAttributes: t.optional(nonResourceAttributes),
        },
        { description: 'Exactly one of the two.' },
      ),
      status: t.optional(accessStatus),
    }),
  );
}

export function subjectAccessReviewKind(group: string): ResourceKind {
  return review(
    { group, kind: 'SubjectAccessReview' },
    'Asks whether a user may do something.',
    t.object({ spec: subjectSpec, status: t.optional(accessStatus) }),
  );
}

export function selfSubjectRulesReviewKind(group: string): ResourceKind {
  return review(
    { group, kind: 'SelfSubjectRulesReview' },
    'Asks for everything that the caller may do in a namespace. For display, never for decisions.',
    t.object({
      spec: t.object(
        { namespace: t.optional(t.string({ description: 'The namespace that is asked about. Required.' })) },
        { description: 'What is asked.' },
      ),
      status: t.optional(rulesStatus),
    }),
  );
}

export const localSubjectAccessReviewKind: ResourceKind = review(
  { group: authorizationGroup, kind: 'LocalSubjectAccessReview', namespaced: true },
  'Asks whether a user may do something in a namespace.',
  t.object({ spec: subjectSpec, status: t.optional(accessStatus) }),
);

export const selfSubjectReviewKind: ResourceKind = review(
  { group: authenticationGroup, kind: 'SelfSubjectReview' },
  'Asks who the caller is.',
  t.object({
    status: t.optional(
      t.object(
        {
          userInfo: t.optional(
            t.object({
              username: t.optional(t.string({ description: 'The name of the user.' })),
              uid: t.optional(t.string({ description: 'The uid of the user.' })),
              groups: t.optional(t.array(t.string(), { listType: 'atomic', description: 'Its groups.' })),
              extra: t.optional(extra),
            }),
          ),
        },
        { description: 'The answer.' },
      ),
    ),
  }),
);
