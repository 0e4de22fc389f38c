import { defineKind } from '../../define-kind.ts';
import { managementGroup, managementVersion } from '../../naming.ts';
import { type Static, t } from '../../schema/build.ts';

const schema = t.object({
  spec: t.optional(
    t.object(
      {
        certificateTTL: t.optional(
          t.integer({ description: 'Lifetime of the credential in seconds; absent: one day.' }),
        ),
        server: t.optional(
          t.string({
            description:
              'Address to put into the kubeconfig: an https URL; without a path it is this server under another name. Absent: this server.',
          }),
        ),
      },
      { description: 'The kubeconfig that is asked for.' },
    ),
  ),
  status: t.optional(
    t.object(
      { kubeConfig: t.optional(t.string({ description: 'The kubeconfig, ready for kubectl.' })) },
      { description: 'The answer.' },
    ),
  ),
});

export type VirtualClusterInstanceKubeConfig = Static<typeof schema>;

export const virtualClusterInstanceKubeConfigKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'VirtualClusterInstanceKubeConfig',
  plural: 'virtualclusterinstancekubeconfigs',
  singular: 'virtualclusterinstancekubeconfig',
  namespaced: true,
  confidential: true,
  description: 'A kubeconfig that opens a virtual cluster.',
  schema,
});
