import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/build.ts';

const schema = t.object({
  accessKey: t.optional(t.string({ description: 'A new key for the agent of the cluster.' })),
  managementHost: t.optional(t.string({ description: 'Address of this server.' })),
  caCert: t.optional(t.string({ description: 'Certificates that this server is checked with, as PEM text.' })),
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
  description: 'What the agent of a connected cluster connects with.',
  schema,
});
