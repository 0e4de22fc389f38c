import {
  equalJson,
  isJsonObject,
  type JsonValue,
  listAt,
  numberAt,
  objectAt,
  textAt,
  textsAt,
  valueAt,
} from '@flotilla/json';
import { labelFaults, labelValueFaults, qualifiedNameFaults, subdomainFaults } from '@flotilla/kubernetes-formats';
import { duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import { immutableErrors } from './field-rules.ts';
import { canonicalIpErrors, endpointIpErrors, ipErrors, ipWarnings, isIpv4 } from './ip-rules.ts';
import { portNumberErrors, protocolErrors } from './port-rules.ts';

const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;
const maxHints = 8;
const addressTypes = ['FQDN', 'IPv4', 'IPv6'];

/** Returns the errors of a text member. An absent member has no errors. */
function textErrors(of: JsonValue, member: string, path: string, faultsOf: (text: string) => string[]): FieldError[] {
  const text = valueAt(of, member);
  if (typeof text !== 'string') return [];
  return faultsOf(text).map((fault) => invalid(`${path}.${member}`, text, fault));
}

export function endpointsErrors(object: KubeObject): FieldError[] {
  return listAt(object as JsonValue, 'subsets').flatMap((subset, index) => {
    const path = indexPath('subsets', index);
    const ports = listAt(subset, 'ports');
    const addressErrors = (member: string) =>
      listAt(subset, member).flatMap((address, at) => subsetAddressErrors(address, indexPath(`${path}.${member}`, at)));
    const isEmpty = listAt(subset, 'addresses').length + listAt(subset, 'notReadyAddresses').length === 0;
    return [
      ...(isEmpty ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...addressErrors('addresses'),
      ...addressErrors('notReadyAddresses'),
      ...ports.flatMap((port, at) => subsetPortErrors(port, indexPath(`${path}.ports`, at), ports.length > 1)),
    ];
  });
}

function subsetAddressErrors(address: JsonValue, path: string): FieldError[] {
  const ip = textAt(address, 'ip');
  return [
    ...ipErrors(`${path}.ip`, ip),
    ...(textAt(address, 'hostname') === '' ? [] : textErrors(address, 'hostname', path, labelFaults)),
    ...textErrors(address, 'nodeName', path, subdomainFaults),
    ...endpointIpErrors(`${path}.ip`, ip),
  ];
}

function subsetPortErrors(port: JsonValue, path: string, requiresName: boolean): FieldError[] {
  const name = textAt(port, 'name');
  const nameErrors =
    name === ''
      ? requiresName
        ? [required(`${path}.name`)]
        : []
      : labelFaults(name).map((fault) => invalid(`${path}.name`, name, fault));
  return [
    ...nameErrors,
    ...portNumberErrors(`${path}.port`, numberAt(port, 'port') ?? 0),
    ...protocolErrors(`${path}.protocol`, textAt(port, 'protocol')),
    ...textErrors(port, 'appProtocol', path, qualifiedNameFaults),
  ];
}

/**
 * Returns the errors of an update. Ignores errors in members that the update does not change, because older releases
 * may have accepted them.
 */
export function endpointsUpdateErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const errors = endpointsErrors(object);
  return isSame(object, old, 'subsets') ? [] : errors;
}

function isSame(object: KubeObject, old: KubeObject, member: string): boolean {
  return equalJson(valueAt(object as JsonValue, member), valueAt(old as JsonValue, member));
}

export function endpointsWarnings(object: KubeObject): string[] {
  return listAt(object as JsonValue, 'subsets').flatMap((subset, index) =>
    ['addresses', 'notReadyAddresses'].flatMap((member) =>
      listAt(subset, member).flatMap((address, at) =>
        ipWarnings(`${indexPath(`${indexPath('subsets', index)}.${member}`, at)}.ip`, textAt(address, 'ip')),
      ),
    ),
  );
}

export function endpointSliceErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const slice = object as JsonValue;
  const type = textAt(slice, 'addressType');
  const typeErrors =
    type === ''
      ? [required('addressType')]
      : addressTypes.includes(type)
        ? []
        : [notSupported('addressType', type, addressTypes)];
  const inEndpoints = old !== undefined && isSame(object, old, 'endpoints') ? [] : sliceEndpointsErrors(slice, type);
  return [
    ...typeErrors,
    ...slicePortsErrors(listAt(slice, 'ports')),
    ...inEndpoints,
    ...(old === undefined ? [] : immutableErrors('addressType', type, textAt(old as JsonValue, 'addressType'))),
  ];
}

function slicePortsErrors(ports: readonly JsonValue[]): FieldError[] {
  if (ports.length > maxPorts) return [tooMany('ports', ports.length, maxPorts)];
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const path = indexPath('ports', index);
    const name = textAt(port, 'name');
    const repeated = names.has(name) ? [duplicate(`${path}.name`, name)] : [];
    names.add(name);
    return [
      ...(name === '' ? [] : labelFaults(name).map((fault) => invalid(`${path}.name`, name, fault))),
      ...repeated,
      ...protocolErrors(`${path}.protocol`, textAt(port, 'protocol')),
      ...textErrors(port, 'appProtocol', path, qualifiedNameFaults),
    ];
  });
}

function sliceEndpointsErrors(slice: JsonValue, type: string): FieldError[] {
  const endpoints = listAt(slice, 'endpoints');
  if (endpoints.length > maxEndpoints) return [tooMany('endpoints', endpoints.length, maxEndpoints)];
  return endpoints.flatMap((endpoint, index) => {
    const path = indexPath('endpoints', index);
    return [
      ...addressListErrors(textsAt(endpoint, 'addresses'), `${path}.addresses`, type),
      ...textErrors(endpoint, 'nodeName', path, subdomainFaults),
      ...textErrors(endpoint, 'hostname', path, labelFaults),
      ...hintErrors(objectAt(endpoint, 'hints') ?? {}, `${path}.hints`),
    ];
  });
}

function addressListErrors(addresses: readonly string[], path: string, type: string): FieldError[] {
  if (addresses.length === 0) return [required(path, 'must contain at least 1 address')];
  const count = addresses.length > maxAddresses ? [tooMany(path, addresses.length, maxAddresses)] : [];
  return [...count, ...addresses.flatMap((address, index) => addressErrors(address, path, index, type))];
}

function addressErrors(address: string, path: string, index: number, type: string): FieldError[] {
  const at = indexPath(path, index);
  if (type === 'FQDN') return domainErrors(at, address);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const errors = type === 'IPv4' ? ipErrors(at, address) : canonicalIpErrors(at, address);
  if (errors.length > 0) return errors;
  const isOfType = isIpv4(address) === (type === 'IPv4');
  return [
    ...(isOfType ? [] : [invalid(path, address, `must be an ${type} address`)]),
    ...endpointIpErrors(at, address),
  ];
}

function domainErrors(path: string, text: string): FieldError[] {
  if (text === '') return [required(path)];
  const name = text.replace(/\.$/, '');
  const faults = subdomainFaults(name);
  if (faults.length > 0) return [invalid(path, name, faults.join(','))];
  const labels = name.split('.');
  if (labels.length < 2) {
    return [invalid(path, name, 'should be a domain with at least two segments separated by dots')];
  }
  const wrong = labels.find((label) => labelFaults(label).length > 0);
  return wrong === undefined ? [] : [invalid(path, wrong, labelFaults(wrong).join(','))];
}

function hintErrors(hints: JsonValue, path: string): FieldError[] {
  const zones = listAt(hints, 'forZones').map((zone) => textAt(zone, 'name'));
  if (zones.length > maxHints) return [tooMany(`${path}.forZones`, zones.length, maxHints)];
  const inZones = hintNameErrors(zones, `${path}.forZones`, labelValueFaults);
  const nodes = listAt(hints, 'forNodes').map((node) => textAt(node, 'name'));
  if (nodes.length > maxHints) return [...inZones, tooMany(`${path}.forNodes`, nodes.length, maxHints)];
  return [...inZones, ...hintNameErrors(nodes, `${path}.forNodes`, subdomainFaults)];
}

function hintNameErrors(names: readonly string[], path: string, faultsOf: (name: string) => string[]): FieldError[] {
  return names.flatMap((name, index) => {
    const at = `${indexPath(path, index)}.name`;
    return [
      ...(names.indexOf(name) < index ? [duplicate(at, name)] : []),
      ...faultsOf(name).map((fault) => invalid(at, name, fault)),
    ];
  });
}

const ownControllers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

export function endpointSliceWarnings(object: KubeObject, old: KubeObject | undefined): string[] {
  const isDomain = old === undefined && textAt(object as JsonValue, 'addressType') === 'FQDN';
  const deprecation = isDomain ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  if (ownControllers.includes(object.metadata.labels?.['endpointslice.kubernetes.io/managed-by'] ?? '')) {
    return deprecation;
  }
  const inAddresses = listAt(object as JsonValue, 'endpoints').flatMap((endpoint, index) =>
    textsAt(endpoint, 'addresses').flatMap((address, at) =>
      ipWarnings(indexPath(`${indexPath('endpoints', index)}.addresses`, at), address),
    ),
  );
  return [...deprecation, ...inAddresses];
}

/** Removes a member that exists only in an older version of the API. */
export function dropDeprecatedTopology(object: KubeObject): void {
  for (const endpoint of listAt(object as JsonValue, 'endpoints')) {
    if (isJsonObject(endpoint)) delete endpoint.deprecatedTopology;
  }
}
