import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

const schema = t.object({
  clusters: t.array(t.preserved({ description: 'A Cluster.' }), {
    description: 'Connected clusters that instances of the project may run on.',
  }),
});

export type ProjectClusters = Static<typeof schema>;

export const projectClustersKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'ProjectClusters',
  plural: 'projectclusters',
  singular: 'projectclusters',
  namespaced: false,
  description: 'The clusters that a project may use.',
  schema,
});
