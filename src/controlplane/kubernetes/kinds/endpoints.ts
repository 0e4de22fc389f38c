import { type JsonValue, listAt, numberAt, textAt, textsAt, valueAt } from '@flotilla/json';
import { ageColumn, column } from '../../../api/columns.ts';
import type { KubeObject } from '../../../api/meta.ts';
import type { KubernetesKind } from '../kubernetes-kind.ts';
import {
  dropDeprecatedTopology,
  endpointSliceErrors,
  endpointSliceWarnings,
  endpointsErrors,
  endpointsUpdateErrors,
  endpointsWarnings,
} from '../rules/endpoint-rules.ts';
import { listedText, maxListed } from './columns.ts';

/** Returns the addresses of all subsets with their ports. */
function addressesOf(object: KubeObject): string {
  const subsets = listAt(object as JsonValue, 'subsets');
  if (subsets.length === 0) return '<none>';
  const texts: string[] = [];
  let total = 0;
  for (const subset of subsets) {
    const ips = listAt(subset, 'addresses').map((address) => textAt(address, 'ip'));
    const ports = listAt(subset, 'ports').map((port) => numberAt(port, 'port') ?? 0);
    total += ips.length * Math.max(1, ports.length);
    // Only the first texts are shown, so build texts only from the first IPs and ports. A subset can have millions of
    // combinations.
    const [firstIps, firstPorts] = [ips.slice(0, maxListed), ports.slice(0, maxListed)];
    if (ports.length === 0) texts.push(...firstIps);
    for (const port of firstPorts) texts.push(...firstIps.map((ip) => withPort(ip, port)));
  }
  return listedText(texts, total, '');
}

function withPort(ip: string, port: number): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function slicePortsOf(object: KubeObject): string {
  const ports = listAt(object as JsonValue, 'ports').map((port) => {
    const number = valueAt(port, 'port');
    return number === undefined ? textAt(port, 'name') : String(number);
  });
  return listedText(ports, ports.length, '<unset>');
}

function sliceAddressesOf(object: KubeObject): string {
  const addresses = listAt(object as JsonValue, 'endpoints').flatMap((endpoint) => textsAt(endpoint, 'addresses'));
  return listedText(addresses, addresses.length, '<unset>');
}

/** The kinds that list the addresses of services: core/v1 and discovery.k8s.io/v1. */
export const endpointKinds: readonly KubernetesKind[] = [
  {
    struct: 'core.Endpoints',
    group: '',
    plural: 'endpoints',
    shortNames: ['ep'],
    namespaced: true,
    description: 'The addresses of a service.',
    unconditionalUpdate: true,
    createOnUpdate: true,
    deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
    validate: endpointsErrors,
    validateUpdate: endpointsUpdateErrors,
    warnings: endpointsWarnings,
    columns: [column('Endpoints', addressesOf, { description: 'The addresses with their ports.' }), ageColumn],
  },
  {
    struct: 'discovery.EndpointSlice',
    group: 'discovery.k8s.io',
    plural: 'endpointslices',
    namespaced: true,
    description: 'Some of the addresses of a service.',
    generation: { first: 1, increasedBy: 'spec-or-labels' },
    unconditionalUpdate: true,
    prepare: dropDeprecatedTopology,
    validate: (object) => endpointSliceErrors(object),
    validateUpdate: endpointSliceErrors,
    warnings: endpointSliceWarnings,
    columns: [
      column('AddressType', 'addressType', { description: 'The type of the addresses.' }),
      column('Ports', slicePortsOf, { description: 'The ports of the addresses.' }),
      column('Endpoints', sliceAddressesOf, { description: 'The addresses.' }),
      ageColumn,
    ],
  },
];
