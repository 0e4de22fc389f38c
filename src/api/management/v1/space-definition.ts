import { type Static, t } from '../../schema/schema-builder.ts';
import { limitRangeSchema, resourceQuotaSchema } from '../host-isolation/host-isolation.ts';
import { accessRuleSchema } from './access.ts';
import { addedMetadata } from './template-definition.ts';

/**
 * The schema of the definition of a space: inline in a SpaceInstance, in a SpaceTemplate, or in a version of a
 * SpaceTemplate.
 */
export const spaceDefinitionSchema = t.object(
  {
    metadata: addedMetadata('the namespace'),
    instanceTemplate: t.optional(
      t.object(
        { metadata: addedMetadata('the space instance') },
        { description: 'Metadata that is added to the SpaceInstance object.' },
      ),
    ),
    objects: t.optional(
      t.string({ description: 'YAML documents of namespaced kinds that the server applies in the namespace.' }),
    ),
    access: t.optional(
      t.object(
        {
          defaultClusterRole: t.optional(
            t.string({
              description: 'Cluster role of users and teams to which none of the rules applies. Defaults to admin.',
            }),
          ),
          rules: t.optional(
            t.array(accessRuleSchema, { description: 'Rules that assign cluster roles to certain users and teams.' }),
          ),
        },
        { description: 'Roles of users and teams in the namespace.' },
      ),
    ),
    resourceQuota: t.optional(resourceQuotaSchema),
    limitRange: t.optional(limitRangeSchema),
  },
  { description: 'Definition of the space.' },
);

export type SpaceDefinition = Static<typeof spaceDefinitionSchema>;
