import { amountsFrom, type UsageAmounts } from '../../api/usage/usage-amounts.ts';
import type { HostUse, NamespacedUse } from '../../hosts/kubernetes/observe/pod-usage.ts';
import type { RequestCounts } from './request-counters.ts';

/** The number of stored objects and their size. */
export interface ObjectSize {
  readonly objects: number;
  readonly kib: number;
}

/** The measurements of one instance in an interval. Fields are absent if they were not measured. */
export interface InstanceMeasurement {
  /** The length of the interval. */
  readonly seconds: number;
  readonly isRunning: boolean;
  readonly requests?: RequestCounts | undefined;
  readonly size?: ObjectSize | undefined;
  readonly workMs?: number | undefined;
  readonly pods?: { readonly cpuMillis: number; readonly memoryKib: number } | undefined;
  readonly storageKib?: number | undefined;
}

/**
 * Converts a measurement to amounts. Levels, such as the number of objects, are multiplied by the length of the
 * interval.
 */
export function amountsOf(measured: InstanceMeasurement): UsageAmounts {
  const { seconds, requests, size, workMs, pods, storageKib } = measured;
  const timeIf = (value: unknown) => (value === undefined ? 0 : seconds);
  const amounts: Partial<Record<string, number>> = {
    seconds,
    requests: requests?.requests ?? 0,
    watchSeconds: requests?.watchSeconds ?? 0,
    instanceSeconds: seconds,
    runningSeconds: measured.isRunning ? seconds : 0,
    sizeSeconds: timeIf(size),
    objectSeconds: (size?.objects ?? 0) * seconds,
    kibSeconds: (size?.kib ?? 0) * seconds,
    workSeconds: timeIf(workMs),
    workMs: workMs ?? 0,
    podSeconds: timeIf(pods),
    cpuMilliSeconds: (pods?.cpuMillis ?? 0) * seconds,
    memoryKibSeconds: (pods?.memoryKib ?? 0) * seconds,
    claimSeconds: timeIf(storageKib),
    storageKibSeconds: (storageKib ?? 0) * seconds,
  };
  return amountsFrom((field) => amounts[field] ?? 0);
}

/** The location of an instance on its host. `name` is '' for a space. */
export interface UseLocation {
  readonly namespace: string;
  readonly name: string;
  /** True if no other instance is in the namespace. */
  readonly ownsNamespace: boolean;
}

/** The pods and persistent volume claims of a host, by namespace, for fast lookups for an instance. */
export class HostUseIndex {
  readonly #pods: ReadonlyMap<string, readonly NonNullable<HostUse['pods']>[number][]> | undefined;
  readonly #claims: ReadonlyMap<string, readonly NonNullable<HostUse['claims']>[number][]> | undefined;

  constructor({ pods, claims }: HostUse) {
    this.#pods = pods && byNamespace(pods);
    this.#claims = claims && byNamespace(claims);
  }

  /** Returns the resources that an instance uses. */
  useOf(location: UseLocation): Pick<InstanceMeasurement, 'pods' | 'storageKib'> {
    const isOwn = (one: NamespacedUse<unknown>) => location.ownsNamespace || belongsTo(one, location.name);
    const pods = this.#pods && (this.#pods.get(location.namespace) ?? []).filter(isOwn);
    const claims = this.#claims && (this.#claims.get(location.namespace) ?? []).filter(isOwn);
    return {
      pods: pods && {
        cpuMillis: pods.reduce((sum, { use }) => sum + use.cpuMillis, 0),
        memoryKib: pods.reduce((sum, { use }) => sum + use.memoryKib, 0),
      },
      storageKib: claims?.reduce((sum, { use }) => sum + use.storageKib, 0),
    };
  }
}

/** The labels with the name of the virtual cluster: on synced objects, and on objects of its control plane. */
const nameLabels = ['vcluster.loft.sh/managed-by', 'release'] as const;

/**
 * True if the object belongs to the virtual cluster with this name, in a namespace that several virtual clusters share.
 */
function belongsTo({ labels }: NamespacedUse<unknown>, name: string): boolean {
  return name !== '' && nameLabels.some((label) => labels[label] === name);
}

function byNamespace<One extends { readonly namespace: string }>(all: readonly One[]): Map<string, One[]> {
  const index = new Map<string, One[]>();
  for (const one of all) {
    const others = index.get(one.namespace);
    if (others === undefined) index.set(one.namespace, [one]);
    else others.push(one);
  }
  return index;
}
