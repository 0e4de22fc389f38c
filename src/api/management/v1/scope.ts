import { scopeCliFlag } from '../../naming.ts';
import { type Static, t } from '../../schema/build.ts';

const resourceRule = t.object({
  group: t.optional(t.string({ description: 'API group; the empty string is the core group.' })),
  resources: t.optional(
    t.array(t.string(), {
      description:
        'Resources of the group: pods, pods/log, *, pods/*, */scale. Wildcards must not overlap other entries. Empty: all resources and subresources.',
    }),
  ),
  resourceNames: t.optional(
    t.array(t.string(), {
      description: 'Names of the instances that match; empty: all of them. Needs resources.',
    }),
  ),
});

const ruleSchema = t.object({
  verbs: t.optional(t.array(t.string(), { description: 'Verbs that match; empty: every verb.' })),
  resources: t.optional(
    t.array(resourceRule, { description: 'Resources that match; empty: all kinds in all API groups.' }),
  ),
  resourceNames: t.optional(
    t.array(t.string(), { description: 'Like resourceNames of every entry of resources. Needs resources.' }),
  ),
  namespaces: t.optional(
    t.array(t.string(), {
      description: 'Namespaces that match; the empty string matches what is not namespaced. Empty: every namespace.',
    }),
  ),
  nonResourceURLs: t.optional(
    t.array(t.string(), {
      description: 'Paths that match, such as /healthz; * is allowed as the whole last step only.',
    }),
  ),
  requestTargets: t.optional(
    t.array(t.string(), {
      description:
        'What requests may be made to: Management, Cluster, ProjectSpace, ProjectVirtualCluster. Empty: everything.',
    }),
  ),
  cluster: t.optional(
    t.string({ description: 'The connected cluster that matches; when set, only requests to clusters are allowed.' }),
  ),
  virtualClusters: t.optional(
    t.array(
      t.object({
        name: t.optional(t.string({ description: 'Name of the virtual cluster; empty: all.' })),
        namespace: t.optional(t.string({ description: 'Namespace of the virtual cluster; empty: all.' })),
      }),
      { description: 'Virtual clusters that match, for requests to virtual clusters; empty: no restriction.' },
    ),
  ),
});

const project = t.optional(t.string({ description: 'Name of the project; * selects all projects.' }));

/** What a key or token may reach at most; it only ever narrows. */
export const scopeSchema = t.object(
  {
    [scopeCliFlag]: t.optional(
      t.boolean({
        description: 'Allows the read-only management requests that the command-line tool needs.',
      }),
    ),
    projects: t.optional(t.array(t.object({ project }), { description: 'Projects that may be reached.' })),
    spaces: t.optional(
      t.array(
        t.object({ project, space: t.optional(t.string({ description: 'Name of the space; * selects all.' })) }),
        { description: 'Spaces that may be reached.' },
      ),
    ),
    virtualClusters: t.optional(
      t.array(
        t.object({
          project,
          virtualCluster: t.optional(t.string({ description: 'Name of the virtual cluster; * selects all.' })),
        }),
        { description: 'Virtual clusters that may be reached.' },
      ),
    ),
    clusters: t.optional(
      t.array(t.object({ cluster: t.optional(t.string({ description: 'Name of the cluster; * selects all.' })) }), {
        description: 'Connected clusters that may be reached.',
      }),
    ),
    rules: t.optional(
      t.array(ruleSchema, { description: 'Deprecated: use projects, spaces and virtualClusters instead.' }),
    ),
  },
  {
    nullable: true,
    description: 'Narrows what may be done to what it lists. Absent: no narrowing.',
  },
);

export type Scope = Static<typeof scopeSchema> & { readonly [flag in typeof scopeCliFlag]?: boolean };
export type ScopeRule = Static<typeof ruleSchema>;

export const requestTargets = ['Management', 'Cluster', 'ProjectSpace', 'ProjectVirtualCluster'] as const;
