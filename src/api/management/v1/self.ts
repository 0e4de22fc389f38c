import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/build.ts';
import { scopeSchema } from './scope.ts';

const entity = t.object({
  name: t.string({ description: 'Name of the object.' }),
  displayName: t.optional(t.string({ description: 'Name to show to people.' })),
});

const status = t.object(
  {
    user: t.optional(
      t.object(
        {
          name: t.string({ description: 'Name of the user.' }),
          displayName: t.optional(t.string({ description: 'Name to show to people.' })),
          email: t.optional(t.string({ description: 'E-mail address of the user.' })),
          teams: t.optional(t.array(entity, { description: 'Teams that the user is in.' })),
        },
        { description: 'The user that the caller is, if it is one.' },
      ),
    ),
    team: t.optional(entity),
    accessKey: t.optional(t.string({ description: 'Name of the access key that was used.' })),
    accessKeyType: t.optional(t.string({ description: 'Type of that key.' })),
    accessKeyScope: t.optional(scopeSchema),
    subject: t.optional(t.string({ description: 'Who the caller is towards clusters.' })),
    groups: t.optional(t.array(t.string(), { description: 'Groups that the caller is in.' })),
    instanceID: t.optional(t.string({ description: 'Identity of this installation.' })),
    projectNamespacePrefix: t.optional(
      t.string({ description: 'What the namespace of a project is made with: prefix, then the name of the project.' }),
    ),
  },
  { description: 'The answer.' },
);

const schema = t.object({
  spec: t.optional(t.object({}, { description: 'Nothing is asked but who the caller is.' })),
  status: t.optional(status),
});

export type SelfStatus = Static<typeof status>;

export const selfKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'Self',
  plural: 'selves',
  singular: 'self',
  namespaced: false,
  description: 'Who the caller is.',
  schema,
});
