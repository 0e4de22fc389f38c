import { deepFreeze, type JsonValue, objectAt, textAt, textsAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import {
  ipAddressErrors,
  ipAddressUpdateErrors,
  serviceRangeErrors,
  serviceRangeUpdateErrors,
} from '../rules/services/service-range-rules.ts';
import { serviceRange } from '../services/service-range.ts';

const group = 'networking.k8s.io';

/** Returns the object that uses an address: `services/namespace/name`. */
function parentOf(object: KubeObject): string {
  const parent = objectAt(object as JsonValue, 'spec', 'parentRef');
  if (parent === undefined) return '<none>';
  const [resource, parentGroup, namespace] = [
    textAt(parent, 'resource'),
    textAt(parent, 'group'),
    textAt(parent, 'namespace'),
  ];
  const kind = (parentGroup === '' ? resource : `${resource}.${parentGroup}`).toLowerCase();
  return [kind, ...(namespace === '' ? [] : [namespace]), textAt(parent, 'name')].join('/');
}

/** The addresses of services. A service that gets a cluster IP creates its IPAddress. */
export const ipAddress: KubernetesKind = {
  struct: 'networking.IPAddress',
  group,
  plural: 'ipaddresses',
  shortNames: ['ip'],
  namespaced: false,
  nameRule: 'path-segment',
  description: 'An IP address that is in use. Its name is the address.',
  unconditionalUpdate: true,
  validate: ipAddressErrors,
  validateUpdate: ipAddressUpdateErrors,
  columns: [column('ParentRef', parentOf, { description: 'The object that uses the address.' }), ageColumn],
};

/** The ranges of the cluster IPs of services. On the built-in cluster, only the default range is used. */
export const serviceCidr: KubernetesKind = {
  struct: 'networking.ServiceCIDR',
  group,
  plural: 'servicecidrs',
  namespaced: false,
  description: 'A range of IP addresses for services.',
  unconditionalUpdate: true,
  status: { keeps: 'all' },
  validate: serviceRangeErrors,
  validateUpdate: serviceRangeUpdateErrors,
  columns: [
    column('CIDRs', (object) => textsAt(object as JsonValue, 'spec', 'cidrs').join(','), {
      description: 'The ranges.',
    }),
    ageColumn,
  ],
};

/** The range of cluster IPs that every plane has. */
export const builtinServiceCidr: KubeObject = deepFreeze({
  apiVersion: `${group}/v1`,
  kind: 'ServiceCIDR',
  metadata: { name: 'kubernetes' },
  spec: { cidrs: [serviceRange.cidr] },
  status: {
    conditions: [{ type: 'Ready', status: 'True', reason: '', message: 'Kubernetes default Service CIDR is ready' }],
  },
} as JsonValue) as KubeObject;
