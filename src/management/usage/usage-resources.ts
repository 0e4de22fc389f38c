import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import { priceListKind } from '../../api/management/v1/usage/price-list.ts';
import { type Usage, usageKind } from '../../api/management/v1/usage/usage.ts';
import { virtualClusterInstanceKind } from '../../api/management/v1/virtual-cluster-instance.ts';
import type { ObjectMeta } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { badRequest, notFound } from '../../api/status.ts';
import { describeUsage, ringOf } from '../../api/usage/describe-usage.ts';
import { usageCsv } from '../../api/usage/usage-csv.ts';
import { fleetUsageName, priceListName, type UsagePeriod, usagePeriods } from '../../api/usage/usage-periods.ts';
import type { Chunk, Ring } from '../../api/usage/usage-rings.ts';
import type { Clock } from '../../lib/clock.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { MountedResource, MountedSubresource } from '../../registry/mounted-resource.ts';
import type { GetOptions, ServedObject } from '../../registry/verbs.ts';
import { computedObject } from '../subresources/computed-object.ts';

/** The subject of recorded usage: the object with this uid, or the whole installation. */
export type UsageSubject =
  | { readonly of: 'instance' | 'project' | 'cluster'; readonly uid: string }
  | { readonly of: 'fleet' };

export interface UsageResourcesOptions {
  readonly clock: Clock;
  /** Returns the recorded slots of a subject. */
  readonly usageOf: (ring: Ring, subject: UsageSubject) => Promise<Chunk>;
}

/** GET `usage` of an object. */
export interface UsageSubresources {
  readonly virtualClusters: MountedSubresource;
  readonly spaces: MountedSubresource;
  readonly projects: MountedSubresource;
  readonly clusters: MountedSubresource;
  /** The usage of the installation, as the only object of the kind Usage. */
  readonly fleet: MountedResource;
}

/** Serves the recorded usage with its costs, as an object or as CSV. */
export function usageResources(stores: KindStores, options: UsageResourcesOptions): UsageSubresources {
  const describe = async (subject: UsageSubject, metadata: ObjectMeta, period: UsagePeriod): Promise<ServedObject> => {
    const ring = ringOf(period);
    const slots = await options.usageOf(ring, subject);
    const { currency, prices = {} } = storeOf(stores, priceListKind).peek('', priceListName)?.object.spec ?? {};
    const described = describeUsage(ring, slots, options.clock.now(), prices);
    const usage: Pick<Usage, 'period' | 'sampleSeconds' | 'currency' | 'total' | 'samples'> = {
      period,
      sampleSeconds: ring.slotSeconds,
      ...(currency === undefined ? {} : { currency }),
      ...described,
    };
    return Object.assign(computedObject(usageKind, metadata, usage), { csv: () => usageCsv(usage) });
  };

  const ofObject = (kind: ResourceKind, of: 'instance' | 'project' | 'cluster'): MountedSubresource => ({
    kind: usageKind,
    servesCsv: true,
    verbs: {
      async get({ namespace }, name, getOptions) {
        const period = periodOf(getOptions);
        const uid = storeOf(stores, kind).peek(namespace, name)?.object.metadata.uid;
        if (uid === undefined) throw notFound(groupResourceOf(kind), name);
        return await describe({ of, uid }, { name, ...(namespace === '' ? {} : { namespace }) }, period);
      },
    },
  });

  const fleet = (period: UsagePeriod) => describe({ of: 'fleet' }, { name: fleetUsageName }, period);
  return {
    virtualClusters: ofObject(virtualClusterInstanceKind, 'instance'),
    spaces: ofObject(spaceInstanceKind, 'instance'),
    projects: ofObject(projectKind, 'project'),
    clusters: ofObject(clusterKind, 'cluster'),
    fleet: {
      kind: usageKind,
      servesCsv: true,
      verbs: {
        async get(_context, name, getOptions) {
          const period = periodOf(getOptions);
          if (name !== fleetUsageName) throw notFound(groupResourceOf(usageKind), name);
          return await fleet(period);
        },
        async list() {
          const items = [await fleet(usagePeriods[0])];
          return { items, resourceVersion: String(await storeOf(stores, projectKind).freshRevision()) };
        },
      },
      subresources: {},
    },
  };
}

/** Returns the requested usage period. Throws 400 if the period is unknown. */
function periodOf({ parameters }: GetOptions): UsagePeriod {
  const sent = parameters?.get('period') ?? usagePeriods[0];
  const period = usagePeriods.find((one) => one === sent);
  if (period === undefined)
    throw badRequest(`unknown period ${JSON.stringify(sent)}; it can be ${usagePeriods.join(' or ')}`);
  return period;
}
