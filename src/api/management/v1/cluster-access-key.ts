import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/schema-builder.ts';

const schema = t.object({
  accessKey: t.optional(t.string({ description: 'New access key for the agent of the cluster.' })),
  managementHost: t.optional(t.string({ description: 'Address of this server.' })),
  caCert: t.optional(t.string({ description: 'PEM-encoded CA certificates that verify this server.' })),
});

export type ClusterAccessKey = Static<typeof schema>;

export const clusterAccessKeyKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ClusterAccessKey',
  plural: 'clusteraccesskeys',
  singular: 'clusteraccesskey',
  namespaced: false,
  confidential: true,
  description: 'The credentials with which the agent of a connected cluster connects to this server.',
  schema,
});
