import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { t } from '../../../schema/schema-builder.ts';

const status = t.object(
  { removed: t.boolean({ description: 'True if the user had a second factor.' }) },
  { description: 'Result of the request. Set by the server.' },
);

const schema = t.object({ status: t.optional(status) });

export const userSecondFactorRemovalKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'UserSecondFactorRemoval',
  plural: 'usersecondfactorremovals',
  singular: 'usersecondfactorremoval',
  namespaced: false,
  description: 'A request to remove the second factor of a user who lost it. The user then logs in without a code.',
  schema,
});
