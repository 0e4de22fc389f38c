import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const schema = t.object({
  defaultVirtualClusterTemplate: t.optional(
    t.string({ description: 'Template that instances use if they do not name a template.' }),
  ),
  virtualClusterTemplates: t.array(t.preserved({ description: 'A VirtualClusterTemplate.' }), {
    description: 'Templates that virtual cluster instances of the project may use.',
  }),
  defaultSpaceTemplate: t.optional(t.string({ description: 'Template that spaces use if they do not name one.' })),
  spaceTemplates: t.array(t.preserved({ description: 'A SpaceTemplate.' }), {
    description: 'Templates that spaces of the project may use.',
  }),
});

export type ProjectTemplates = Static<typeof schema>;

export const projectTemplatesKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectTemplates',
  plural: 'projecttemplates',
  singular: 'projecttemplates',
  namespaced: false,
  description: 'The templates that a project may use.',
  schema,
});
