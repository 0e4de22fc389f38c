import { type JsonObject, numberAt, textAt } from '@flotilla/json';
import { type FieldError, invalid } from '../../../api/field-error.ts';
import type { KubeObject } from '../../../api/meta.ts';
import { indexPath } from '../../../api/schema/field-path.ts';
import { internalError, invalidObject, type StatusError } from '../../../api/status.ts';
import type { KindStore } from '../../../registry/kind-store.ts';
import type { Draft, StoredResource } from '../../../registry/resource.ts';
import { ObjectChangedError } from '../../../registry/write/commit.ts';
import {
  addressesOf,
  hasNodePorts,
  healthCheckPortOf,
  isExternalName,
  isHeadless,
  needsHealthCheck,
  nodePortOf,
  portsOf,
  printedList,
  specOf,
  takenNodePortsOf,
} from '../rules/services/service-spec.ts';
import { setIpFamilies } from './ip-families.ts';
import { alignClusterIps, allocatesNodePorts, dropFieldsOfOldType, keepAllocatedValues } from './kept-values.ts';
import { PortOperation } from './port-operation.ts';
import { addressAt, kubernetesAddress, offsetOf, serviceRange } from './service-range.ts';
import { UsedValues } from './used-values.ts';

const kind = { group: '', kind: 'Service' };
/**
 * As in Kubernetes, addresses below this offset are for services that request a specific address. A service without
 * such a request gets one of them only if no other address is free.
 */
const firstAutomatic = 257;

/**
 * Allocates cluster IPs and node ports for the services of a plane. Chooses values that are free in the caches. The
 * transaction of the write then checks the choice. For a cluster IP, the address is a claim of the service, and the
 * IPAddress of the address must not exist yet. For node ports, each write checks and replaces one common guard, because
 * a service can have more ports than a transaction can have rows. If another write took a value first, the write is
 * repeated with the current state.
 */
export class ServiceAllocation {
  readonly #stores: { readonly services: () => KindStore; readonly addresses: () => KindStore };
  readonly #random: () => number;
  #used: UsedValues | undefined;

  constructor(
    stores: { readonly services: () => KindStore; readonly addresses: () => KindStore },
    random: () => number = Math.random,
  ) {
    this.#stores = stores;
    this.#random = random;
  }

  /** Returns the hooks of the kind Service that need the other objects of the plane. */
  hooks(): Pick<StoredResource, 'prepare' | 'tracksSentFields' | 'claimTaken' | 'companionTaken' | 'createQueue'> {
    return {
      tracksSentFields: true,
      prepare: (draft) => this.#prepare(draft),
      // After this error, the write is repeated. The repeated write finds the service that took the address, and then
      // chooses another address or reports the error.
      claimTaken: () => new ObjectChangedError(),
      companionTaken: () => new ObjectChangedError(),
      // Creates of services with node ports run one after the other, because concurrent ones would conflict at the
      // guard.
      createQueue: (sent) => (hasNodePorts(specOf(sent)) ? 'node-ports' : undefined),
    };
  }

  /** Completes a service as kube-apiserver does before it validates the service. */
  #prepare(draft: Draft): void | Promise<void> {
    const { object } = draft;
    const spec = specOf(object);
    const old = draft.old === undefined ? undefined : specOf(draft.old.object);
    if (old !== undefined) keepAllocatedValues(spec, old);
    alignClusterIps(spec, old);
    refuse(object, setIpFamilies(spec, old));
    if (old === undefined || (isExternalName(old) && !isExternalName(spec))) this.#setAddress(object, spec);
    if (!takesPorts(spec, old)) {
      complete(draft);
      return undefined;
    }
    return this.#takePorts(draft, spec, old).then(() => complete(draft));
  }

  get #usedValues(): UsedValues {
    this.#used ??= new UsedValues(this.#stores.services(), this.#stores.addresses());
    return this.#used;
  }

  #setAddress(object: KubeObject, spec: JsonObject): void {
    if (isExternalName(spec) || isHeadless(spec)) return;
    const addresses = addressesOf(spec);
    const [requested] = addresses;
    if (requested !== undefined) {
      const fault = this.#addressFault(object, requested);
      if (fault === undefined) return;
      const detail = `failed to allocate IP ${requested}: ${fault}`;
      refuse(object, [invalid('spec.clusterIPs', printedList(addresses), detail)]);
    }
    const address = this.#freeAddress();
    if (address === undefined) {
      const { name = '' } = object.metadata;
      throw internalError(`failed to allocate a serviceIP for Service ${JSON.stringify(name)}: range is full`);
    }
    spec.clusterIP = address;
    spec.clusterIPs = [address];
  }

  /** Returns the reason why a service cannot have the address that it requests; `undefined` if it can. */
  #addressFault({ metadata: { namespace, name } }: KubeObject, address: string): string | undefined {
    const offset = offsetOf(address);
    if (offset === undefined || offset === 0 || offset === serviceRange.size - 1) {
      return 'the provided network does not match the current range';
    }
    const isTaken =
      address === kubernetesAddress
        ? namespace !== 'default' || name !== 'kubernetes'
        : this.#usedValues.hasAddress(offset);
    return isTaken ? 'provided IP is already allocated' : undefined;
  }

  #freeAddress(): string | undefined {
    const last = serviceRange.size - 2;
    const used = this.#usedValues;
    const offset =
      used.freeAddress({ first: firstAutomatic, last }, this.#random()) ??
      used.freeAddress({ first: 2, last: firstAutomatic - 1 }, this.#random());
    return offset === undefined ? undefined : addressAt(offset);
  }

  async #takePorts(draft: Draft, spec: JsonObject, old: JsonObject | undefined): Promise<void> {
    const guard = await this.#stores.services().takeGuard('node-ports', 'services');
    draft.guards = [...(draft.guards ?? []), guard];
    const operation = new PortOperation(this.#usedValues, this.#random);
    if (hasNodePorts(spec)) {
      refuse(draft.object, old === undefined ? setNewPorts(spec, operation) : setChangedPorts(spec, old, operation));
    }
    if (needsHealthCheck(spec) && !(old !== undefined && needsHealthCheck(old))) setHealthCheckPort(spec, operation);
  }
}

function complete({ object, old }: Draft): void {
  if (old !== undefined) dropFieldsOfOldType(object, old.object);
  const spec = specOf(object);
  // Kubernetes accepts `internalTrafficPolicy` for the type ExternalName but does not store it.
  if (isExternalName(spec) && ['Cluster', 'Local'].includes(textAt(spec, 'internalTrafficPolicy'))) {
    delete spec.internalTrafficPolicy;
  }
}

function refuse({ metadata: { name = '' } }: KubeObject, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidObject(kind, name, errors);
}

/** True if a write takes node ports that the service does not have yet. */
function takesPorts(spec: JsonObject, old: JsonObject | undefined): boolean {
  const had = new Set(old === undefined ? [] : takenNodePortsOf(old));
  const needsPort = (port: JsonObject) => {
    const number = nodePortOf(port);
    return number === 0 ? allocatesNodePorts(spec) : !had.has(number);
  };
  const needsCheck = needsHealthCheck(spec) && !(old !== undefined && needsHealthCheck(old));
  return needsCheck || (hasNodePorts(spec) && portsOf(spec).some(needsPort));
}

/** Sets the node ports of a new service. Ports that have the same number but different protocols share a node port. */
function setNewPorts(spec: JsonObject, operation: PortOperation): FieldError[] {
  const ports = portsOf(spec);
  const requested = new Map<number, number>();
  for (const port of ports) {
    const number = numberAt(port, 'port') ?? 0;
    if (nodePortOf(port) !== 0 && !requested.has(number)) requested.set(number, nodePortOf(port));
  }
  const given = new Map<number, number>();
  for (const [index, port] of ports.entries()) {
    if (nodePortOf(port) === 0 && !allocatesNodePorts(spec)) continue;
    const number = numberAt(port, 'port') ?? 0;
    const shared = given.get(number);
    const wanted = shared === undefined ? requested.get(number) : nodePortOf(port) || shared;
    if (wanted === undefined) port.nodePort = operation.takeAny();
    else {
      const fault = wanted === shared ? undefined : operation.take(wanted);
      if (fault !== undefined) return [nodePortError(index, wanted, fault)];
      port.nodePort = wanted;
    }
    if (shared === undefined) given.set(number, nodePortOf(port));
  }
  return [];
}

/** Sets the node ports of a changed service. The service keeps the node ports that it has. */
function setChangedPorts(spec: JsonObject, old: JsonObject, operation: PortOperation): FieldError[] {
  const known = new Set(takenNodePortsOf(old));
  for (const [index, port] of portsOf(spec).entries()) {
    const number = nodePortOf(port);
    if (number === 0) {
      if (allocatesNodePorts(spec)) port.nodePort = operation.takeAny();
    } else if (!known.has(number)) {
      const fault = operation.take(number);
      if (fault !== undefined) return [nodePortError(index, number, fault)];
      known.add(number);
    }
  }
  return [];
}

function nodePortError(index: number, port: number, fault: string): FieldError {
  return invalid(`${indexPath('spec.ports', index)}.nodePort`, port, fault);
}

function setHealthCheckPort(spec: JsonObject, operation: PortOperation): void {
  const port = healthCheckPortOf(spec);
  const fault = port === 0 ? undefined : operation.take(port);
  if (fault !== undefined) throw healthCheckRefusal(port, fault);
  if (port === 0) spec.healthCheckNodePort = operation.takeAny();
}

function healthCheckRefusal(port: number, fault: string): StatusError {
  return internalError(`failed to allocate requested HealthCheck NodePort ${port}: ${fault}`);
}
