import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { t } from '../../schema/schema-builder.ts';

const schema = t.object({
  spec: t.optional(t.preserved({ description: 'Not used, because there are no objects of this kind.' })),
  status: t.optional(t.preserved({ description: 'Not used, because there are no objects of this kind.' })),
});

function emptyKind(kind: string, description: string) {
  const singular = kind.toLowerCase();
  return defineKind({
    group: managementGroup,
    version: managementVersion,
    kind,
    plural: `${singular}s`,
    singular,
    namespaced: false,
    description,
    schema,
  });
}

/**
 * Kinds that clients of this API read but for which this server has no objects. Their lists are empty, and clients
 * cannot create objects. Without these kinds, clients would stop with an error instead of continuing without objects.
 */
export const emptyKinds = [
  emptyKind('Feature', 'A feature that a license enables. This server has none, because it needs no license.'),
  emptyKind('License', 'The license of the server. This server has none, because it needs no license.'),
  emptyKind('Config', 'Settings that are stored as an object. This server reads its settings when it starts.'),
];
