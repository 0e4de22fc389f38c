import {
  deepFreeze,
  type JsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
} from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { CompanionObject } from '../../../registry/resource.ts';
import { type KubernetesKind, storedKubernetesKind } from '../kubernetes-kind.ts';
import { serviceErrors } from '../rules/services/service-rules.ts';
import { addressesOf, isHeadless, nodePortOf, portsOf, specOf, typeOf } from '../rules/services/service-spec.ts';
import { serviceStatusErrors, serviceWarnings } from '../rules/services/service-status-rules.ts';
import { kubernetesAddress } from '../services/service-range.ts';
import { ipAddress } from './service-ranges.ts';

function balancerAddresses(object: KubeObject): string {
  const points = listAt(object as JsonValue, 'status', 'loadBalancer', 'ingress');
  const addresses = points.map((point) => textAt(point, 'ip') || textAt(point, 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].toSorted().join(',');
}

function externalIpOf(object: KubeObject): string {
  const spec = specOf(object);
  const externalIps = textsAt(spec, 'externalIPs');
  switch (typeOf(spec)) {
    case 'ClusterIP':
    case 'NodePort':
      return externalIps.join(',') || '<none>';
    case 'LoadBalancer': {
      const balancer = balancerAddresses(object);
      return [...(balancer === '' ? [] : [balancer]), ...externalIps].join(',') || '<pending>';
    }
    case 'ExternalName':
      return textAt(spec, 'externalName');
    default:
      return '<unknown>';
  }
}

function portsText(object: KubeObject): string {
  const texts = portsOf(specOf(object)).map((port) => {
    const nodePort = nodePortOf(port) > 0 ? `:${nodePortOf(port)}` : '';
    return `${numberAt(port, 'port') ?? 0}${nodePort}/${textAt(port, 'protocol')}`;
  });
  return texts.join(',') || '<none>';
}

function selectorOf(object: KubeObject): string {
  const selector = objectAt(object as JsonValue, 'spec', 'selector') ?? {};
  const labels = Object.entries(selector).map(([key, value]) => `${key}=${String(value)}`);
  return labels.toSorted().join(',') || '<none>';
}

/** Returns the cluster IPs of a service. No two services may have the same cluster IP. */
function claimsOf(object: KubeObject): readonly string[] {
  const spec = specOf(object);
  return isHeadless(spec) ? [] : addressesOf(spec);
}

const ipAddressKind = storedKubernetesKind(ipAddress);

/**
 * Returns the IPAddress objects of a service. The IPAddress of `default/kubernetes` is omitted, because it is built-in.
 */
function companionsOf(object: KubeObject): readonly CompanionObject[] {
  const { namespace = '', name = '' } = object.metadata;
  return claimsOf(object)
    .filter((address) => address !== kubernetesAddress)
    .map((address) => ({
      kind: ipAddressKind,
      namespace: '',
      name: address,
      object: addressObject(address, { resource: 'services', namespace, name }),
    }));
}

function addressObject(name: string, parentRef: JsonObject): KubeObject {
  return {
    kind: 'IPAddress',
    apiVersion: 'networking.k8s.io/v1',
    metadata: {
      name,
      labels: {
        'ipaddress.kubernetes.io/ip-family': 'IPv4',
        'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
      },
    },
    spec: { parentRef },
  };
}

/** Services of core/v1. No component forwards requests to them on the built-in cluster. */
export const service: KubernetesKind = {
  struct: 'core.Service',
  group: '',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  namespaced: true,
  nameRule: 'label',
  selectableFields: ['spec.clusterIP', 'spec.type'],
  description: 'A name and an address for a set of pods.',
  unconditionalUpdate: true,
  createOnUpdate: true,
  returnsDeleted: true,
  status: { keeps: [], validate: serviceStatusErrors },
  validate: (object) => serviceErrors(object),
  validateUpdate: serviceErrors,
  warnings: serviceWarnings,
  claims: claimsOf,
  companions: companionsOf,
  columns: [
    column('Type', 'spec.type', { description: 'The type of the service.' }),
    column('Cluster-IP', (object) => addressesOf(specOf(object))[0] ?? '<none>', {
      description: 'The address of the service.',
      path: 'spec.clusterIP',
    }),
    column('External-IP', externalIpOf, { description: 'The addresses for clients outside the cluster.' }),
    column('Port(s)', portsText, { description: 'The ports with their node ports and protocols.' }),
    ageColumn,
    column('Selector', selectorOf, { description: 'The labels of the pods.', wide: true }),
  ],
};

/** The service through which pods reach the API server of their cluster, and the IPAddress of this service. */
export const builtinServices: readonly KubeObject[] = [
  {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'kubernetes',
      namespace: 'default',
      labels: { component: 'apiserver', provider: 'kubernetes' },
    },
    spec: {
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 443 }],
      clusterIP: kubernetesAddress,
      clusterIPs: [kubernetesAddress],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    },
    status: { loadBalancer: {} },
  },
  addressObject(kubernetesAddress, { resource: 'services', namespace: 'default', name: 'kubernetes' }),
].map((object) => deepFreeze(object as JsonValue) as KubeObject);
