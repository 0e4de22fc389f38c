import type { StructDefault } from '../../../api/structs/struct-defaults.ts';
import { isEmptyList, setIfAbsent } from './set-defaults.ts';

/** The defaults of networking.k8s.io/v1 and discovery.k8s.io/v1. */
export const networkingDefaults: Readonly<Record<string, StructDefault>> = {
  'networking.NetworkPolicyPort': (port) => setIfAbsent(port, { protocol: 'TCP' }),
  'networking.NetworkPolicySpec': (spec) => {
    if (isEmptyList(spec.policyTypes)) {
      spec.policyTypes = isEmptyList(spec.egress) ? ['Ingress'] : ['Ingress', 'Egress'];
    }
  },
  'networking.IngressClassParametersReference': (reference) => setIfAbsent(reference, { scope: 'Cluster' }),
  'discovery.EndpointPort': (port) => setIfAbsent(port, { name: '', protocol: 'TCP' }),
};
