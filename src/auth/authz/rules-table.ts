import { managementGroup } from '../../api/naming.ts';

/** A rule as SelfSubjectRulesReview shows it; the decision reads the very same rows. */
export type ResourceRule = {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
};

export type NonResourceRule = {
  readonly verbs: readonly string[];
  readonly nonResourceURLs: readonly string[];
};

export interface Rules {
  readonly resourceRules: readonly ResourceRule[];
  readonly nonResourceRules: readonly NonResourceRule[];
}

export const adminRules: Rules = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

/** What everybody who has proved who they are may do, whatever their rights (rules DISC-18, AUTHZ-07). */
export const everyoneRules: Rules = {
  resourceRules: [
    {
      verbs: ['create'],
      apiGroups: ['authorization.k8s.io', managementGroup],
      resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
    },
    { verbs: ['create'], apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'] },
    { verbs: ['create'], apiGroups: [managementGroup], resources: ['selves'] },
    // The kind itself shows and takes the caller's own keys only.
    {
      verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
      apiGroups: [managementGroup],
      resources: ['ownedaccesskeys'],
    },
    { verbs: ['get'], apiGroups: [managementGroup], resources: ['ownedaccesskeys/status'] },
  ],
  nonResourceRules: [
    {
      verbs: ['get', 'head'],
      nonResourceURLs: [
        '/api',
        '/api/*',
        '/apis',
        '/apis/*',
        '/openapi',
        '/openapi/*',
        '/version',
        '/version/',
        '/healthz',
        '/healthz/*',
        '/livez',
        '/livez/*',
        '/readyz',
        '/readyz/*',
      ],
    },
  ],
};
