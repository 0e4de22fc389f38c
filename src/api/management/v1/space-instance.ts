import { ageColumn, column, displayedPhase } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { hostAccessSchema } from '../host-access/host-access-schema.ts';
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
import { spaceDefinitionSchema } from './space-definition.ts';

const clusterRef = t.object(
  {
    cluster: t.optional(t.string({ description: 'Name of the connected cluster that has the namespace.' })),
    namespace: t.optional(
      t.string({ description: 'Name of the namespace on the cluster. Set by the server, an admin or an import.' }),
    ),
  },
  { description: 'Location of the space. The server fills in omitted fields. A field cannot change after it is set.' },
);

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the space.')),
    owner: t.optional(ownerSchema),
    templateRef: t.optional(templateRefSchema('space')),
    template: t.optional(spaceDefinitionSchema),
    clusterRef: t.optional(clusterRef),
    parameters: t.optional(parameterValuesSchema),
    extraAccessRules: t.optional(extraAccessRulesSchema('space')),
    access: t.optional(accessSchema),
  },
  { description: 'Desired state of the space.' },
);

/** The condition types of a space. `Ready` summarizes the other conditions. */
export const spaceConditionTypes = ['Scheduled', 'TemplateResolved', 'SpaceReady', 'Ready'] as const;

const status = t.object(
  {
    ...phaseFields('space'),
    hostNamespace: t.optional(
      t.object(
        {
          cluster: t.string({ description: 'Name of the connected cluster.' }),
          name: t.string({ description: 'Name of the namespace.' }),
          uid: t.string({ description: 'Unique identifier of the namespace.' }),
        },
        {
          description:
            'Namespace that was last observed on the cluster. Absent until there is one that belongs to the space.',
        },
      ),
    ),
    observedGeneration: observedGenerationSchema,
    conditions: t.optional(conditionsSchema),
    hostAccess: t.optional(hostAccessSchema('spec.template')),
    space: t.optional(spaceDefinitionSchema),
    renderedFrom: t.optional(
      t.string({ description: 'Digests of the template and the parameters that status.space was rendered from.' }),
    ),
    installHash: t.optional(installHashSchema),
    ...activityFields('space'),
  },
  { description: 'Observed state of the space.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export const spaceInstanceKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'SpaceInstance',
  plural: 'spaceinstances',
  singular: 'spaceinstance',
  shortNames: ['si'],
  categories: [managementCategory],
  namespaced: true,
  description: 'A space: a namespace of a connected cluster that belongs to a project.',
  schema,
  columns: [
    column('Status', displayedPhase, { description: 'Phase of the space.', path: 'status.phase' }),
    column('Cluster', 'spec.clusterRef.cluster', { description: 'Name of the connected cluster of the space.' }),
    templateColumn('space'),
    ownerColumn,
    ageColumn,
    column('Host Namespace', 'spec.clusterRef.namespace', {
      description: 'Name of the namespace on the cluster.',
      wide: true,
    }),
    column('Message', 'status.message', { description: 'Explanation of the phase.', wide: true }),
  ],
  selectableFields: instanceSelectableFields,
});

export type SpaceInstance = ObjectOf<typeof spaceInstanceKind>;
export type SpaceInstanceStatus = Static<typeof status>;
