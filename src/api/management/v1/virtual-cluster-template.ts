import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { accessSchema } from './access.ts';
import { conditionsSchema } from './condition.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import { ownerSchema } from './owner.ts';
import { parametersSchema, templateDefinitionSchema } from './template-definition.ts';

const spec = t.object(
  {
    displayName: t.optional(displayNameSchema),
    description: t.optional(descriptionSchema('Purpose of the template.')),
    owner: t.optional(ownerSchema),
    template: t.optional(templateDefinitionSchema),
    parameters: t.optional(parametersSchema),
    versions: t.optional(
      t.array(
        t.object({
          version: t.string({ description: 'Semantic version of the template, such as 1.2.0.' }),
          template: t.optional(templateDefinitionSchema),
          parameters: t.optional(parametersSchema),
        }),
        {
          description:
            'Versions of the template. An instance uses the newest version that matches its templateRef.version.',
          mapKeys: ['version'],
        },
      ),
    ),
    access: t.optional(accessSchema),
  },
  { description: 'Desired state of the template.' },
);

const status = t.object(
  { conditions: t.optional(conditionsSchema) },
  { description: 'Observed state of the template.' },
);

const schema = t.object({ spec: t.optional(spec), status: t.optional(status) });

export type VirtualClusterTemplateSpec = Static<typeof spec>;

export const virtualClusterTemplateKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'VirtualClusterTemplate',
  plural: 'virtualclustertemplates',
  singular: 'virtualclustertemplate',
  categories: [managementCategory],
  namespaced: false,
  description: 'A template for virtual clusters, with parameters that instances can set.',
  schema,
  columns: [column('Display Name', 'spec.displayName', { description: 'Human-readable name.' }), ageColumn],
});

export type VirtualClusterTemplate = ObjectOf<typeof virtualClusterTemplateKind>;
