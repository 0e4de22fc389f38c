import { type JsonValue, listAt, numberAt, textAt, valueAt } from '@flotilla/json';
import { parseQuantity, type Quantity, quantityOfCount } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../api/meta.ts';
import { classAnnotation } from '../../kubernetes/rules/volumes/class-annotations.ts';
import { measuredDeviceClaims } from './measured-device-claims.ts';
import type { MeasuredKind } from './measured-kind.ts';
import { measuredPods } from './measured-pods.ts';

function isCount(name: string, resource: string): boolean {
  return name === resource || name === `count/${resource}`;
}

/** Returns the amounts that count one object of a core kind. */
function counts(resource: string): Map<string, Quantity> {
  return new Map([resource, `count/${resource}`].map((name) => [name, quantityOfCount(1)]));
}

const nodePorts = 'services.nodeports';
const loadBalancers = 'services.loadbalancers';

function nodePortsOf(service: JsonValue): number {
  const ports = listAt(service, 'spec', 'ports');
  const type = textAt(service, 'spec', 'type');
  if (type === 'NodePort') return ports.length;
  if (type !== 'LoadBalancer') return 0;
  // Count all ports of a new service, because the API server has not allocated them yet.
  if (valueAt(service, 'spec', 'allocateLoadBalancerNodePorts') !== false) return ports.length;
  return ports.filter((port) => (numberAt(port, 'nodePort') ?? 0) !== 0).length;
}

const services: MeasuredKind = {
  resource: 'services',
  measures: (name) => name === nodePorts || name === loadBalancers || isCount(name, 'services'),
  amountsOf(object) {
    const service = object as JsonValue;
    const amounts = counts('services');
    const ports = nodePortsOf(service);
    if (ports > 0) amounts.set(nodePorts, quantityOfCount(ports));
    if (textAt(service, 'spec', 'type') === 'LoadBalancer') amounts.set(loadBalancers, quantityOfCount(1));
    return amounts;
  },
};

const requestedStorage = 'requests.storage';
const ofClass = '.storageclass.storage.k8s.io/';
const classNames: ReadonlySet<string> = new Set([requestedStorage, 'persistentvolumeclaims']);

function classOf(claim: KubeObject): string {
  return claim.metadata.annotations?.[classAnnotation] ?? textAt(claim as JsonValue, 'spec', 'storageClassName');
}

function storageAt(claim: JsonValue, ...path: readonly string[]): Quantity | undefined {
  const text = textAt(claim, ...path);
  return text === '' ? undefined : parseQuantity(text);
}

const billionthsPerByte = 1_000_000_000n;

/** Rounds storage up to whole bytes, because quotas have no fractions of bytes. */
function wholeBytes({ billionths, format }: Quantity): Quantity {
  const bytes = (billionths + billionthsPerByte - 1n) / billionthsPerByte;
  return { billionths: bytes * billionthsPerByte, format };
}

/** Returns the requested storage of a claim, or the allocated storage if it is larger. */
function storageOf(claim: JsonValue): Quantity | undefined {
  const requested = storageAt(claim, 'spec', 'resources', 'requests', 'storage');
  if (requested === undefined) return undefined;
  const allocated = storageAt(claim, 'status', 'allocatedResources', 'storage');
  return wholeBytes(allocated !== undefined && allocated.billionths > requested.billionths ? allocated : requested);
}

const claims: MeasuredKind = {
  resource: 'persistentvolumeclaims',
  measures(name) {
    const at = name.indexOf(ofClass);
    if (name === requestedStorage || isCount(name, 'persistentvolumeclaims')) return true;
    return at >= 0 && classNames.has(name.slice(at + ofClass.length));
  },
  amountsOf(object) {
    const claim = object as JsonValue;
    const amounts = counts('persistentvolumeclaims');
    const [storageClass, storage] = [classOf(object), storageOf(claim)];
    if (storageClass !== '') amounts.set(`${storageClass}${ofClass}persistentvolumeclaims`, quantityOfCount(1));
    if (storage === undefined || storage.billionths === 0n) return amounts;
    amounts.set(requestedStorage, storage);
    if (storageClass !== '') amounts.set(`${storageClass}${ofClass}${requestedStorage}`, storage);
    return amounts;
  },
  scopesOf: (object) => new Map([['VolumeAttributesClass', attributesClassesOf(object as JsonValue)]]),
};

/** Returns the names of the classes that a claim requests, currently uses, and is being changed to. */
function attributesClassesOf(claim: JsonValue): string[] {
  const names = [
    textAt(claim, 'spec', 'volumeAttributesClassName'),
    textAt(claim, 'status', 'currentVolumeAttributesClassName'),
    textAt(claim, 'status', 'modifyVolumeStatus', 'targetVolumeAttributesClassName'),
  ];
  return [...new Set(names)].filter((name) => name !== '');
}

const measuredKinds: ReadonlyMap<string, MeasuredKind> = new Map(
  [services, claims, measuredDeviceClaims, measuredPods].map((kind) => [kind.resource, kind]),
);

/** Returns the kind with this resource key; `undefined` if quotas limit only the number of its objects. */
export function measuredKind(resource: string): MeasuredKind | undefined {
  return measuredKinds.get(resource);
}

/** Returns the kind that a quota of this name measures. */
export function measuredKindOf(name: string): MeasuredKind | undefined {
  return [...measuredKinds.values()].find((kind) => kind.measures(name));
}
