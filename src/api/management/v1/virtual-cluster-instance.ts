import { ageColumn, column, displayedPhase } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { hostAccessSchema } from '../host-access/host-access-schema.ts';
import { revokedTokensSchema } from '../revoked-tokens.ts';
import { accessSchema } from './access.ts';
import { conditionsSchema, observedGenerationSchema } from './condition.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import {
  activityFields,
  extraAccessRulesSchema,
  installHashSchema,
  instanceSelectableFields,
  ownerColumn,
  parameterValuesSchema,
  phaseFields,
  templateColumn,
  templateRefSchema,
} from './instance-fields.ts';
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

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the virtual cluster.')),
    owner: t.optional(ownerSchema),
    templateRef: t.optional(templateRefSchema('virtual cluster')),
    template: t.optional(templateDefinitionSchema),
    clusterRef: t.optional(clusterRef),
    parameters: t.optional(parameterValuesSchema),
    extraAccessRules: t.optional(extraAccessRulesSchema('virtual cluster')),
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

/** The condition types of an instance. `Ready` summarizes the other conditions. */
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
    ...phaseFields('virtual cluster'),
    kubernetesVersion: t.optional(t.string({ description: 'Kubernetes version that the virtual cluster reports.' })),
    serviceUID: t.optional(t.string({ description: 'Unique identifier of the running virtual cluster.' })),
    observedGeneration: observedGenerationSchema,
    conditions: t.optional(conditionsSchema),
    hostAccess: t.optional(hostAccessSchema('spec.template')),
    virtualCluster: t.optional(templateDefinitionSchema),
    renderedFrom: t.optional(
      t.string({
        description: 'Digests of the template and the parameters that status.virtualCluster was rendered from.',
      }),
    ),
    installHash: t.optional(installHashSchema),
    deployHash: t.optional(
      t.string({
        description:
          'Digest of the contents (role bindings and template objects) that were last applied inside the virtual cluster.',
      }),
    ),
    revokedTokens: t.optional(revokedTokensSchema),
    ...activityFields('virtual cluster'),
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
    templateColumn('virtual cluster'),
    column('Version', 'status.kubernetesVersion', {
      description: 'Kubernetes version that the virtual cluster reports.',
    }),
    ownerColumn,
    ageColumn,
    column('Host Namespace', 'spec.clusterRef.namespace', {
      description: 'Namespace on the host in which the virtual cluster runs.',
      wide: true,
    }),
    column('Message', 'status.message', { description: 'Explanation of the phase.', wide: true }),
  ],
  selectableFields: instanceSelectableFields,
});

export type VirtualClusterInstance = ObjectOf<typeof virtualClusterInstanceKind>;
