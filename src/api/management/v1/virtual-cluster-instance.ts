import { textAt, valueAt } from '../../../lib/json-path.ts';
import { ageColumn, column, phaseOf } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/build.ts';
import { accessRuleSchema, accessSchema } from './access.ts';
import { conditionsSchema } from './condition.ts';
import { ownerSchema } from './owner.ts';
import { templateDefinitionSchema } from './template-definition.ts';

const clusterRef = t.object(
  {
    cluster: t.optional(t.string({ description: 'Connected cluster that the virtual cluster runs on.' })),
    namespace: t.optional(
      t.string({ description: 'Namespace on that cluster; set by the server, by admins and by imports.' }),
    ),
    virtualCluster: t.optional(
      t.string({ description: 'Name of the virtual cluster there; set by the server, by admins and by imports.' }),
    ),
  },
  { description: 'Where the virtual cluster runs. What is left out the server fills in; once set it stays.' },
);

const templateRef = t.object(
  {
    name: t.optional(t.string({ description: 'Name of the virtual cluster template.' })),
    version: t.optional(
      t.string({ description: 'Version of the template: exact, or with wildcards as in 1.x.x. Empty: the newest.' }),
    ),
    syncOnce: t.optional(t.boolean({ description: 'Use the template as it is now and ignore its later changes.' })),
  },
  { description: 'The template that the virtual cluster is made from. Excludes template.' },
);

const spec = t.object(
  {
    displayName: t.optional(t.string({ description: 'Name to show to people.' })),
    description: t.optional(t.string({ description: 'What the virtual cluster is for.' })),
    owner: t.optional(ownerSchema),
    templateRef: t.optional(templateRef),
    template: t.optional(templateDefinitionSchema),
    clusterRef: t.optional(clusterRef),
    parameters: t.optional(
      t.string({ description: 'Values for the parameters of the template, as YAML text: one <key>: <value> a line.' }),
    ),
    extraAccessRules: t.optional(
      t.array(accessRuleSchema, { description: 'Roles inside the virtual cluster besides those of the template.' }),
    ),
    access: t.optional(accessSchema),
    external: t.optional(
      t.boolean({
        description: 'The virtual cluster is managed elsewhere: it is never installed or removed from here.',
      }),
    ),
  },
  { description: 'The virtual cluster as it should be.' },
);

const status = t.object(
  {
    phase: t.optional(t.string({ description: 'Pending, Ready, Sleeping or Failed; empty right after creation.' })),
    reason: t.optional(t.string({ description: 'Why it is in this phase, in one word.' })),
    message: t.optional(t.string({ description: 'Why it is in this phase, and what to do about it.' })),
    kubernetesVersion: t.optional(t.string({ description: 'Version that the virtual cluster reports.' })),
    serviceUID: t.optional(t.string({ description: 'Identity of the virtual cluster that is running.' })),
    conditions: t.optional(conditionsSchema),
    virtualCluster: t.optional(templateDefinitionSchema),
    renderedFrom: t.optional(
      t.string({
        description: 'Tells which template, in which state, and which parameters virtualCluster was made from.',
      }),
    ),
    installHash: t.optional(t.string({ description: 'Tells what the host was asked for.' })),
    deployHash: t.optional(t.string({ description: 'Tells whether what is deployed is what the spec asks for.' })),
    lastActivity: t.optional(
      t.timestamp({
        description:
          'When it was last used: to the minute where something is to happen when it is not used, else to five minutes. Absent: not yet.',
      }),
    ),
    canUse: t.optional(t.boolean({ description: 'Whether the caller may use the virtual cluster.' })),
    canUpdate: t.optional(t.boolean({ description: 'Whether the caller may change the instance.' })),
  },
  { description: 'What the server observed.' },
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
  description: 'A virtual cluster: a whole cluster that runs inside one namespace of a host cluster.',
  schema,
  columns: [
    column('Status', phaseOf, { description: 'Phase of the virtual cluster.' }),
    column('Cluster', 'spec.clusterRef.cluster', { description: 'Connected cluster that it runs on.' }),
    column(
      'Template',
      (object) =>
        valueAt(object, 'spec', 'template') === undefined
          ? textAt(object, 'spec', 'templateRef', 'name') || undefined
          : '<inline>',
      { description: 'Template that it is made from.' },
    ),
    column('Version', 'status.kubernetesVersion', { description: 'Kubernetes version that it reports.' }),
    column(
      'Owner',
      (object) => textAt(object, 'spec', 'owner', 'user') || textAt(object, 'spec', 'owner', 'team') || undefined,
      {
        description: 'User or team that owns it.',
      },
    ),
    ageColumn,
    column('Host Namespace', 'spec.clusterRef.namespace', { description: 'Namespace on its host.', wide: true }),
    column('Message', 'status.message', { description: 'Why it is in its phase.', wide: true }),
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
