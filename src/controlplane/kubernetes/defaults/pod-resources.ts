import type { JsonObject } from '@flotilla/json';
import { formatQuantity, type Quantity } from '@flotilla/kubernetes-formats';
import { readQuantity } from './resource-lists.ts';
import { itemsOf, objectMember, objectOf } from './set-defaults.ts';

/** Amounts of resources by name. */
export type Amounts = Map<string, Quantity>;

/**
 * Completes the pod-level resources, if the pod has any. Limits of huge pages default to the total of all containers.
 * Requests default to the total of all containers, or to the limit if no container requests the resource.
 */
export function defaultPodResources(spec: JsonObject): void {
  const resources = objectOf(spec, 'resources');
  if (resources === undefined) return;
  const isSet = (member: string) => Object.keys(objectOf(resources, member) ?? {}).length > 0;
  if (isSet('limits') || isSet('requests')) addLimitsOfHugePages(spec, resources);
  if (isSet('limits')) addRequests(spec, resources);
}

function addLimitsOfHugePages(spec: JsonObject, resources: JsonObject): void {
  const requested = objectOf(resources, 'requests') ?? {};
  for (const [name, amount] of amountsOfContainers(spec, 'limits')) {
    if (!isHugePages(name) || Object.hasOwn(requested, name)) continue;
    objectMember(resources, 'limits')[name] ??= formatQuantity(amount);
  }
}

function addRequests(spec: JsonObject, resources: JsonObject): void {
  for (const [name, amount] of amountsOfContainers(spec, 'requests')) {
    if (name === 'cpu' || name === 'memory') objectMember(resources, 'requests')[name] ??= formatQuantity(amount);
  }
  for (const [name, limit] of Object.entries(objectOf(resources, 'limits') ?? {})) {
    if (name === 'cpu' || name === 'memory' || isHugePages(name)) objectMember(resources, 'requests')[name] ??= limit;
  }
}

function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/**
 * Returns the total amounts that the containers of a pod need. Init containers run one after another before all other
 * containers. Init containers with the restart policy Always continue to run beside all later containers. `ofContainer`
 * returns the amounts of one container; it defaults to the amounts in the container's spec.
 */
export function amountsOfContainers(
  spec: JsonObject,
  member: 'limits' | 'requests',
  ofContainer: (container: JsonObject) => Amounts = (container) => amountsOf(container, member),
): Amounts {
  const total: Amounts = new Map();
  for (const container of itemsOf(spec, 'containers')) add(total, ofContainer(container));
  const running: Amounts = new Map();
  const starting: Amounts = new Map();
  for (const container of itemsOf(spec, 'initContainers')) {
    const own = ofContainer(container);
    if (container.restartPolicy === 'Always') {
      add(total, own);
      add(running, own);
    } else {
      // Add the amounts of the running containers only for resources that this container uses. The comparison at the
      // end covers the other resources.
      for (const name of own.keys()) addAmount(own, name, running.get(name));
      raiseAmounts(starting, own);
    }
  }
  raiseAmounts(starting, running);
  raiseAmounts(total, starting);
  return total;
}

/** Returns the amounts in the resources of a container or a pod. */
export function amountsOf(container: JsonObject, member: 'limits' | 'requests'): Amounts {
  return amountsIn(objectOf(objectOf(container, 'resources'), member));
}

/** Returns the amounts of a list of resources, which is a map from names to quantities. */
export function amountsIn(list: JsonObject | undefined): Amounts {
  const amounts: Amounts = new Map();
  for (const [name, text] of Object.entries(list ?? {})) {
    const amount = typeof text === 'string' ? readQuantity(text) : undefined;
    if (amount !== undefined) amounts.set(name, amount);
  }
  return amounts;
}

function add(target: Amounts, more: Amounts): void {
  for (const [name, amount] of more) addAmount(target, name, amount);
}

export function addAmount(target: Amounts, name: string, amount: Quantity | undefined): void {
  const known = target.get(name);
  if (amount === undefined) return;
  const sum = known === undefined ? amount : { ...known, billionths: known.billionths + amount.billionths };
  target.set(name, sum);
}

/** Raises each amount in `target` to at least the amount in `least`. */
export function raiseAmounts(target: Amounts, least: Amounts): void {
  for (const [name, amount] of least) {
    const known = target.get(name);
    if (known === undefined || amount.billionths > known.billionths) target.set(name, amount);
  }
}
