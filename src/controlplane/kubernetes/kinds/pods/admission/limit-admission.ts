import { isJsonObject, type JsonObject, type JsonValue, listAt, objectAt, textAt } from '@flotilla/json';
import { formatQuantity, parseQuantity, type Quantity } from '@flotilla/kubernetes-formats';
import type { KubeObject } from '../../../../../api/meta.ts';
import { type Amounts, amountsOf, amountsOfContainers } from '../../../defaults/pod-resources.ts';
import { itemsOf, objectMember } from '../../../defaults/set-defaults.ts';
import { refusedPod, type StoreOf } from './refuse-pod.ts';

const annotation = 'kubernetes.io/limit-ranger';
/** The maximum number of broken limits in an error message. */
const maxFaults = 100;

function rangesIn(namespace: string, storeOf: StoreOf): JsonValue[] {
  return (storeOf('limitranges')?.peekAll(namespace) ?? []).map(({ object }) => object as JsonValue);
}

/** Sets the missing requests and limits of the containers of a new pod to the defaults of its namespace. */
export function setDefaultLimits(object: KubeObject, spec: JsonObject, storeOf: StoreOf): void {
  for (const range of rangesIn(object.metadata.namespace ?? '', storeOf)) {
    const item = listAt(range, 'spec', 'limits').find((limit) => textAt(limit, 'type') === 'Container');
    if (item === undefined) continue;
    const changes = [
      ...itemsOf(spec, 'containers').flatMap((container) => setDefaults(container, item, 'container')),
      ...itemsOf(spec, 'initContainers').flatMap((container) => setDefaults(container, item, 'init container')),
    ];
    if (changes.length === 0) continue;
    const text = `LimitRanger plugin set: ${changes.join('; ')}`;
    object.metadata.annotations = { ...object.metadata.annotations, [annotation]: text };
  }
}

function setDefaults(container: JsonObject, limit: JsonValue, what: string): string[] {
  const members = [
    ['requests', 'defaultRequest', 'request'],
    ['limits', 'default', 'limit'],
  ] as const;
  return members.flatMap(([member, source, noun]) => {
    const given = objectAt(container, 'resources', member) ?? {};
    const missing = Object.entries(objectAt(limit, source) ?? {}).filter(([name]) => given[name] === undefined);
    if (missing.length === 0) return [];
    const resources = objectMember(container, 'resources');
    resources[member] = { ...given, ...Object.fromEntries(missing) };
    const names = missing.map(([name]) => name).toSorted();
    return [`${names.join(', ')} ${noun} for ${what} ${textAt(container, 'name')}`];
  });
}

/** Throws 403 if a pod exceeds the limits of its namespace. */
export function checkLimits(object: KubeObject, storeOf: StoreOf): void {
  const spec = objectAt(object as JsonValue, 'spec') ?? {};
  for (const range of rangesIn(object.metadata.namespace ?? '', storeOf)) {
    const faults: string[] = [];
    for (const fault of rangeFaults(spec, range)) {
      faults.push(fault);
      if (faults.length >= maxFaults) break;
    }
    if (faults.length > 0) {
      throw refusedPod(object, faults.length === 1 ? (faults[0] ?? '') : `[${faults.join(', ')}]`);
    }
  }
}

function* rangeFaults(spec: JsonObject, range: JsonValue): Generator<string> {
  for (const limit of listAt(range, 'spec', 'limits')) {
    const type = textAt(limit, 'type');
    if (!isJsonObject(limit)) continue;
    if (type === 'Container') {
      for (const container of [...itemsOf(spec, 'containers'), ...itemsOf(spec, 'initContainers')]) {
        yield* limitFaults(limit, type, {
          requests: amountsOf(container, 'requests'),
          limits: amountsOf(container, 'limits'),
        });
      }
    } else if (type === 'Pod') {
      yield* limitFaults(limit, type, {
        requests: amountsOfPod(spec, 'requests'),
        limits: amountsOfPod(spec, 'limits'),
      });
    }
  }
}

/** Returns the total amounts of a pod's containers. Amounts for the pod as a whole take precedence. */
function amountsOfPod(spec: JsonObject, member: 'limits' | 'requests'): Amounts {
  return new Map([...amountsOfContainers(spec, member), ...amountsOf(spec, member)]);
}

interface UsedAmounts {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

function* limitFaults(limit: JsonObject, type: string, used: UsedAmounts): Generator<string> {
  for (const [name, amount] of entriesOf(limit, 'min'))
    yield* minFault(`${name} usage per ${type} is ${amount}`, name, used, parseQuantity(amount));
  for (const [name, amount] of entriesOf(limit, 'max'))
    yield* maxFault(`${name} usage per ${type} is ${amount}`, name, used, parseQuantity(amount));
  for (const [name, amount] of entriesOf(limit, 'maxLimitRequestRatio'))
    yield* ratioFault(`${name} max limit to request ratio per ${type} is ${amount}`, name, used, parseQuantity(amount));
}

function entriesOf(limit: JsonObject, member: string): [name: string, amount: string][] {
  return Object.entries(objectAt(limit, member) ?? {}).map(([name, amount]) => [name, String(amount)]);
}

function* minFault(rule: string, name: string, used: UsedAmounts, least: Quantity): Generator<string> {
  const [request, limit] = [used.requests.get(name), used.limits.get(name)];
  const start = `minimum ${rule}`;
  if (request === undefined) yield `${start}.  No request is specified`;
  else if (request.billionths < least.billionths) yield `${start}, but request is ${formatQuantity(request)}`;
  else if (limit !== undefined && limit.billionths < least.billionths)
    yield `${start}, but limit is ${formatQuantity(limit)}`;
}

function* maxFault(rule: string, name: string, used: UsedAmounts, most: Quantity): Generator<string> {
  const [request, limit] = [used.requests.get(name), used.limits.get(name)];
  const start = `maximum ${rule}`;
  if (limit === undefined) yield `${start}.  No limit is specified`;
  else if (limit.billionths > most.billionths) yield `${start}, but limit is ${formatQuantity(limit)}`;
  else if (request !== undefined && request.billionths > most.billionths)
    yield `${start}, but request is ${formatQuantity(request)}`;
}

function* ratioFault(rule: string, name: string, used: UsedAmounts, most: Quantity): Generator<string> {
  const request = used.requests.get(name)?.billionths ?? 0n;
  const limit = used.limits.get(name)?.billionths ?? 0n;
  if (request === 0n) yield `${rule}, but no request is specified or request is 0`;
  else if (limit === 0n) yield `${rule}, but no limit is specified or limit is 0`;
  else if (limit * 1_000_000_000n > most.billionths * request) {
    yield `${rule}, but provided ratio is ${(Number(limit) / Number(request)).toFixed(6)}`;
  }
}
