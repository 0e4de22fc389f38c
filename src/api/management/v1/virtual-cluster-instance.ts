import { ageColumn, column, displayedPhase } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { accessRuleSchema, accessSchema } from './access.ts';
import { conditionsSchema, observedGenerationSchema } from './condition.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import { ownerSchema } from './owner.ts';
import { templateDefinitionSchema } from './template-definition.ts';

const clusterRef = t.object(
  {
    cluster: t.optional(t.string({ description: 'Name of the connected cluster that the virtual cluster runs on.' })),
    namespace: t.optional(
      t.string({
        description:
          'Namespace on the cluster in which the virtual cluster runs. Set by the server, an admin or an import.',
      }),
    ),
    virtualCluster: t.optional(
      t.string({
        description:
          'Name of the virtual cluster on the cluster that runs it. Set by the server, an admin or an import.',
      }),
    ),
  },
  {
    description:
      'Location of the virtual cluster. The server fills in omitted fields. A field cannot change after it is set.',
  },
);

const templateRef = t.object(
  {
    name: t.optional(t.string({ description: 'Name of the virtual cluster template.' })),
    version: t.optional(
      t.string({
        description: 'Version of the template: exact, or with wildcards such as 1.x.x. Defaults to the newest version.',
      }),
    ),
    syncOnce: t.optional(
      t.boolean({
        description: 'If true, the template is rendered only once, and later changes to the template are ignored.',
      }),
    ),
  },
  { description: 'Reference to the template of the virtual cluster. Must not be set together with template.' },
);

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the virtual cluster.')),
    owner: t.optional(ownerSchema),
    templateRef: t.optional(templateRef),
    template: t.optional(templateDefinitionSchema),
    clusterRef: t.optional(clusterRef),
    parameters: t.optional(
      t.string({ description: 'Values of the template parameters, as YAML: one <key>: <value> per line.' }),
    ),
    extraAccessRules: t.optional(
      t.array(accessRuleSchema, {
        description: 'Rules that assign roles inside the virtual cluster, in addition to the rules of the template.',
      }),
    ),
    access: t.optional(accessSchema),
    external: t.optional(
      t.boolean({
        description:
          'If true, the virtual cluster is externally managed: this server never installs, upgrades or removes it.',
      }),
    ),
  },
  { description: 'Desired state of the virtual cluster.' },
);

/** The types of the conditions of an instance. `Ready` summarizes the others. */
export const instanceConditionTypes = [
  'Scheduled',
  'TemplateResolved',
  'SpaceReady',
  'VirtualClusterDeployed',
  'VirtualClusterReady',
  'Ready',
] as const;

const status = t.object(
  {
    phase: t.optional(t.string({ description: 'Phase of the virtual cluster: Pending, Ready, Sleeping or Failed.' })),
    reason: t.optional(t.string({ description: 'Machine-readable reason for the phase, in CamelCase.' })),
    message: t.optional(
      t.string({ description: 'Human-readable explanation of the phase. For a problem, it says how to resolve it.' }),
    ),
    kubernetesVersion: t.optional(t.string({ description: 'Kubernetes version that the virtual cluster reports.' })),
    serviceUID: t.optional(t.string({ description: 'Unique identifier of the running virtual cluster.' })),
    observedGeneration: observedGenerationSchema,
    conditions: t.optional(conditionsSchema),
    virtualCluster: t.optional(templateDefinitionSchema),
    renderedFrom: t.optional(
      t.string({
        description: 'Digests of the template and the parameters that status.virtualCluster was rendered from.',
      }),
    ),
    installHash: t.optional(
      t.string({
        description: 'Digest of the settings of the last installation that the server requested from the host.',
      }),
    ),
    deployHash: t.optional(
      t.string({
        description:
          'Digest of the contents (role bindings and template objects) that were last applied inside the virtual cluster.',
      }),
    ),
    lastActivity: t.optional(
      t.timestamp({
        description:
          'Time of the last use. Accurate to one minute if auto-sleep or auto-delete is configured, otherwise to five minutes. Absent if the virtual cluster was never used.',
      }),
    ),
    canUse: t.optional(t.boolean({ description: 'True if the caller may use the virtual cluster.' })),
    canUpdate: t.optional(t.boolean({ description: 'True if the caller may change the instance.' })),
  },
  { description: 'Observed state of the virtual cluster.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type VirtualClusterInstanceSpec = Static<typeof spec>;
export type VirtualClusterInstanceStatus = Static<typeof status>;

export const virtualClusterInstanceKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'VirtualClusterInstance',
  plural: 'virtualclusterinstances',
  singular: 'virtualclusterinstance',
  shortNames: ['vci'],
  categories: [managementCategory],
  namespaced: true,
  description: 'A virtual cluster: a complete Kubernetes cluster that runs inside one namespace of a host cluster.',
  schema,
  columns: [
    column('Status', displayedPhase, { description: 'Phase of the virtual cluster.', path: 'status.phase' }),
    column('Cluster', 'spec.clusterRef.cluster', {
      description: 'Name of the connected cluster that the virtual cluster runs on.',
    }),
    column<Static<typeof schema>>(
      'Template',
      (object) => (object.spec?.template === undefined ? object.spec?.templateRef?.name || undefined : '<inline>'),
      { description: 'Name of the template of the virtual cluster.', path: 'spec.templateRef.name' },
    ),
    column('Version', 'status.kubernetesVersion', {
      description: 'Kubernetes version that the virtual cluster reports.',
    }),
    column<Static<typeof schema>>(
      'Owner',
      (object) => object.spec?.owner?.user || object.spec?.owner?.team || undefined,
      {
        description: 'User or team that owns the instance.',
        path: 'spec.owner.user',
      },
    ),
    ageColumn,
    column('Host Namespace', 'spec.clusterRef.namespace', {
      description: 'Namespace on the host in which the virtual cluster runs.',
      wide: true,
    }),
    column('Message', 'status.message', { description: 'Explanation of the phase.', wide: true }),
  ],
  selectableFields: [
    'spec.owner.user',
    'spec.owner.team',
    'spec.clusterRef.cluster',
    'spec.templateRef.name',
    'status.phase',
  ],
});

export type VirtualClusterInstance = ObjectOf<typeof virtualClusterInstanceKind>;
