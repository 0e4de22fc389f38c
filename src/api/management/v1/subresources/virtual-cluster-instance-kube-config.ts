import { defineKind } from '../../../define-kind.ts';
import { managementGroup, managementVersion } from '../../../naming.ts';
import { type Static, t } from '../../../schema/schema-builder.ts';

/** Schema of the kubeconfig of an instance. */
export const kubeConfigSchema = t.object({
  spec: t.optional(
    t.object(
      {
        certificateTTL: t.optional(
          t.integer({ description: 'Lifetime of the credential in the kubeconfig, in seconds. Defaults to one day.' }),
        ),
        server: t.optional(
          t.string({
            description:
              'Server address in the kubeconfig, as an https URL. A URL without a path is another address of this server. Defaults to the address that via selects.',
          }),
        ),
        via: t.optional(
          t.enumOf(['auto', 'direct', 'gateway'], {
            description:
              'Address in the kubeconfig. direct: the direct endpoint of the cluster, which an agent serves. gateway: this server. auto: the direct endpoint if the cluster has one, otherwise this server. Defaults to auto.',
          }),
        ),
      },
      { description: 'Parameters of the requested kubeconfig.' },
    ),
  ),
  status: t.optional(
    t.object(
      { kubeConfig: t.optional(t.string({ description: 'Kubeconfig for kubectl, with an inline credential.' })) },
      { description: 'Result of the request. Set by the server.' },
    ),
  ),
});

export type VirtualClusterInstanceKubeConfig = Static<typeof kubeConfigSchema>;

export const virtualClusterInstanceKubeConfigKind = defineKind({
  group: managementGroup,
  version: managementVersion,
  kind: 'VirtualClusterInstanceKubeConfig',
  plural: 'virtualclusterinstancekubeconfigs',
  singular: 'virtualclusterinstancekubeconfig',
  namespaced: true,
  confidential: true,
  description: 'A kubeconfig that gives access to a virtual cluster.',
  schema: kubeConfigSchema,
});
