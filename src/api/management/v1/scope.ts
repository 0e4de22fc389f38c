import { isJsonObject, type JsonObject, type JsonValue } from '@flotilla/json';
import { scopeCliFlag } from '../../naming.ts';
import { type Static, t } from '../../schema/schema-builder.ts';

const resourceRule = t.object({
  group: t.optional(t.string({ description: 'API group of the resources. The empty string is the core group.' })),
  resources: t.optional(
    t.array(t.string(), {
      description:
        'Resources of the group: pods, pods/log, *, pods/*, */scale. Wildcards must not overlap other entries. If empty, all resources and subresources match.',
    }),
  ),
  resourceNames: t.optional(
    t.array(t.string(), {
      description:
        'Names of the objects that match. If empty, all names match. Can be set only together with resources.',
    }),
  ),
});

const ruleSchema = t.object({
  verbs: t.optional(t.array(t.string(), { description: 'Verbs that match. If empty, all verbs match.' })),
  resources: t.optional(
    t.array(resourceRule, { description: 'Resources that match. If empty, all resources of all API groups match.' }),
  ),
  resourceNames: t.optional(
    t.array(t.string(), {
      description:
        'Names of the objects that match, for all entries of resources. Can be set only together with resources.',
    }),
  ),
  namespaces: t.optional(
    t.array(t.string(), {
      description:
        'Namespaces that match. The empty string matches cluster-scoped resources. If empty, all namespaces match.',
    }),
  ),
  nonResourceURLs: t.optional(
    t.array(t.string(), {
      description: 'Paths that match, such as /healthz. "*" is allowed only as the entire last path segment.',
    }),
  ),
  requestTargets: t.optional(
    t.array(t.string(), {
      description:
        'Request targets that match: Management, Cluster, ProjectSpace, ProjectVirtualCluster. If empty, all targets match.',
    }),
  ),
  cluster: t.optional(
    t.string({
      description: 'Name of a connected cluster. If set, the rule matches only requests to this cluster.',
    }),
  ),
  virtualClusters: t.optional(
    t.array(
      t.object({
        name: t.optional(
          t.string({ description: 'Name of the virtual cluster that matches. If empty, all names match.' }),
        ),
        namespace: t.optional(
          t.string({ description: 'Namespace of the virtual cluster that matches. If empty, all namespaces match.' }),
        ),
      }),
      {
        description:
          'Virtual clusters that match, for requests to virtual clusters. If empty, all virtual clusters match.',
      },
    ),
  ),
});

const project = t.optional(t.string({ description: 'Name of the project. "*" selects all projects.' }));

/** Schema of the scope of an access key or token. A scope only restricts permissions and never adds any. */
export const scopeSchema = t.nullable(
  t.object(
    {
      [scopeCliFlag]: t.optional(
        t.boolean({
          description: 'If true, allows the read-only management requests that the CLI needs.',
        }),
      ),
      projects: t.optional(t.array(t.object({ project }), { description: 'Projects that the credential may access.' })),
      spaces: t.optional(
        t.array(
          t.object({
            project,
            space: t.optional(t.string({ description: 'Name of the space. "*" selects all spaces.' })),
          }),
          { description: 'Spaces that the credential may access.' },
        ),
      ),
      virtualClusters: t.optional(
        t.array(
          t.object({
            project,
            virtualCluster: t.optional(
              t.string({ description: 'Name of the virtual cluster. "*" selects all virtual clusters.' }),
            ),
          }),
          { description: 'Virtual clusters that the credential may access.' },
        ),
      ),
      clusters: t.optional(
        t.array(
          t.object({
            cluster: t.optional(t.string({ description: 'Name of the cluster. "*" selects all clusters.' })),
          }),
          {
            description: 'Connected clusters that the credential may access.',
          },
        ),
      ),
      rules: t.optional(
        t.array(ruleSchema, {
          description:
            'Rules for the requests that the credential may send. Deprecated: use projects, spaces and virtualClusters.',
        }),
      ),
    },
    {
      description:
        'Restricts the credential to the listed targets. If absent, the credential is not restricted. A scope never adds permissions.',
    },
  ),
);

export type Scope = NonNullable<Static<typeof scopeSchema>> & { readonly [flag in typeof scopeCliFlag]?: boolean };
export type ScopeRule = Static<typeof ruleSchema>;

/**
 * Casts a scope that was validated against `scopeSchema`. All casts of scopes outside of access keys go through this
 * function.
 */
export function typedScope(scope: JsonObject): Scope {
  return scope as Scope;
}

/**
 * Returns the scopes in a token that this installation signed; `undefined` if they are not a list of objects. The
 * scopes need no validation, because the server validates each scope before it signs a token.
 */
export function signedScopes(scopes: JsonValue | undefined): readonly Scope[] | undefined {
  return Array.isArray(scopes) && scopes.every(isJsonObject) ? scopes.map(typedScope) : undefined;
}

export const requestTargets = ['Management', 'Cluster', 'ProjectSpace', 'ProjectVirtualCluster'] as const;
