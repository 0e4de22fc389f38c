import { ageColumn, column } from '../../columns.ts';
import { defineKind } from '../../define-kind.ts';
import { managementCategory, managementGroup, managementVersion } from '../../naming.ts';
import type { ObjectOf } from '../../resource.ts';
import { t } from '../../schema/schema-builder.ts';
import { spaceDefinitionSchema } from './space-definition.ts';
import { templateSpecSchema, templateStatusSchema } from './template-spec.ts';

const schema = t.object({
  spec: t.optional(templateSpecSchema(spaceDefinitionSchema)),
  status: t.optional(templateStatusSchema),
});

export const spaceTemplateKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'SpaceTemplate',
  plural: 'spacetemplates',
  singular: 'spacetemplate',
  categories: [managementCategory],
  namespaced: false,
  description: 'A template for spaces, with parameters that instances can set.',
  schema,
  columns: [column('Display Name', 'spec.displayName', { description: 'Human-readable name.' }), ageColumn],
});

export type SpaceTemplate = ObjectOf<typeof spaceTemplateKind>;
