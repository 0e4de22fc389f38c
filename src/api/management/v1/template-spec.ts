import { type TSchema, t } from '../../schema/schema-builder.ts';
import { hostAccessSchema } from '../host-access/host-access-schema.ts';
import { accessSchema } from './access.ts';
import { conditionsSchema } from './condition.ts';
import { descriptionSchema, displayNameSchema } from './display-texts.ts';
import { ownerSchema } from './owner.ts';
import { parametersSchema } from './template-definition.ts';

/** Returns the schema of the spec of a template. `definition` is the schema of the definitions in the template. */
export const templateSpecSchema = <Definition extends TSchema>(definition: Definition) =>
  t.object(
    {
      displayName: t.optional(displayNameSchema),
      description: t.optional(descriptionSchema('Purpose of the template.')),
      owner: t.optional(ownerSchema),
      template: t.optional(definition),
      parameters: t.optional(parametersSchema),
      versions: t.optional(
        t.array(
          t.object({
            version: t.string({ description: 'Semantic version of the template, such as 1.2.0.' }),
            template: t.optional(definition),
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

export const templateStatusSchema = t.object(
  { hostAccess: t.optional(hostAccessSchema('the template')), conditions: t.optional(conditionsSchema) },
  { description: 'Observed state of the template.' },
);
