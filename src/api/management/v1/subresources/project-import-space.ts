import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { t } from '../../../schema/schema-builder.ts';
import { ownerSchema } from '../owner.ts';

const schema = t.object({
  sourceSpace: t.object(
    {
      name: t.string({ description: 'Name of the namespace to import.' }),
      cluster: t.string({ description: 'Connected cluster that has the namespace.' }),
      importName: t.optional(
        t.string({ description: 'Name of the SpaceInstance to create. Defaults to the name of the namespace.' }),
      ),
      owner: t.optional(ownerSchema),
    },
    { description: 'Namespace to import into the project.' },
  ),
});

export const projectImportSpaceKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectImportSpace',
  plural: 'projectimportspaces',
  singular: 'projectimportspace',
  namespaced: false,
  description: 'A request to import an existing namespace of a connected cluster into a project as a space.',
  schema,
});
