import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { type Static, t } from '../../schema/schema-builder.ts';
import { templateDefinitionSchema } from './template-definition.ts';
import { templateSpecSchema, templateStatusSchema } from './template-spec.ts';

const spec = templateSpecSchema(templateDefinitionSchema);
const schema = t.object({ spec: t.optional(spec), status: t.optional(templateStatusSchema) });

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
