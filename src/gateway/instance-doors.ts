import { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../api/meta.ts';
import { sleepForceAnnotation } from '../api/naming.ts';
import { notImplemented, type StatusError, serviceUnavailable } from '../api/status.ts';
import type { HostPlace } from '../hosts/host.ts';
import type { Clock } from '../lib/clock.ts';
import { flagAt, textAt, valueAt } from '../lib/json-path.ts';
import type { ActivityLog } from './instance-activity.ts';
import type { Visit } from './plane-entrance.ts';

/** A virtual cluster as it stands on its cluster. */
export interface Standing {
  readonly uid: string;
  readonly planeId: string;
  /** Whom it was made for; '' for one that was made by hand. */
  readonly owner: string;
  readonly door: 'open' | 'asleep' | 'closing';
}

/** A cluster whose virtual clusters are planes of this process. */
export interface PlaneCluster {
  /** undefined: there is none. */
  at(place: HostPlace): Standing | undefined;
  enter(place: HostPlace): Promise<Visit>;
  wake(place: HostPlace, signal: AbortSignal): Promise<void>;
  /** Settles when somebody can enter it; rejects when the signal fires before. */
  opened(place: HostPlace, signal: AbortSignal): Promise<void>;
}

export interface InstanceDoorsOptions {
  /** undefined: the virtual clusters of that cluster are reached in another way. */
  clusterOf(name: string): PlaneCluster | undefined;
  readonly activity: ActivityLog;
  /** Whether it sleeps because nobody used it, and not because somebody wants it to. */
  restsUnused(instance: KubeObject): boolean;
  readonly clock: Clock;
}

export interface InstanceDoors {
  /**
   * Wakes what may be woken, and waits for it, unless `ending` tells that nobody waits any more. Throws 501 and 503 where
   * nobody gets in now.
   */
  enter(instance: KubeObject, ending: () => AbortSignal): Promise<Visit>;
  /** The virtual cluster that is this instance's own; undefined: there is none, or not yet. */
  standingOf(instance: KubeObject): Standing | undefined;
}

/** How long a request waits for a virtual cluster that it wakes. */
const wakeMilliseconds = 10_000;

/** What stands at the place of an instance is its own only if the controller, which checked that, has noted its uid. */
export function instanceDoors(options: InstanceDoorsOptions): InstanceDoors {
  const { activity, clock } = options;

  function standingOf(instance: KubeObject): Standing | undefined {
    const found = options.clusterOf(clusterOf(instance))?.at(placeOf(instance));
    return found !== undefined && found.uid === textAt(instance, 'status', 'serviceUID') ? found : undefined;
  }

  async function wake(instance: KubeObject, cluster: PlaneCluster, ending: AbortSignal): Promise<void> {
    const place = placeOf(instance);
    const waiting = new AbortController();
    const late = serviceUnavailable(`${nameOf(instance)} was asleep and is being woken: try again in a moment`, 1);
    const cancel = clock.after(wakeMilliseconds, () => waiting.abort(late));
    const leave = () => waiting.abort(ending.reason);
    ending.addEventListener('abort', leave, { once: true });
    try {
      await cluster.wake(place, waiting.signal);
      await cluster.opened(place, waiting.signal);
    } catch (error) {
      throw waiting.signal.reason === late ? late : error;
    } finally {
      cancel();
      ending.removeEventListener('abort', leave);
    }
  }

  return {
    standingOf,
    async enter(instance, ending) {
      const cluster = options.clusterOf(clusterOf(instance));
      const shut = whyShut(instance, cluster);
      if (shut !== undefined || cluster === undefined) throw shut ?? notReady(instance);
      const uid = instance.metadata.uid ?? '';
      // Before it is woken: whoever looks whether it may sleep on sees that it is used.
      activity.used(uid);
      const found = standingOf(instance);
      if (found === undefined) throw notReady(instance);
      if (found.door === 'closing') throw beingRemoved(instance);
      if (found.door === 'asleep') {
        const isOurs = found.owner === uid || options.restsUnused(instance);
        if (!isOurs || flagAt(instance, 'spec', 'external')) throw asleepElsewhere(instance);
        await wake(instance, cluster, ending());
        if (standingOf(instance) === undefined) throw notReady(instance);
      }
      const visit = await cluster.enter(placeOf(instance));
      return {
        ...visit,
        leave() {
          activity.used(uid);
          visit.leave();
        },
      };
    },
  };
}

function whyShut(instance: KubeObject, cluster: PlaneCluster | undefined): StatusError | undefined {
  if (instance.metadata.deletionTimestamp !== undefined) return beingRemoved(instance);
  const place = clusterOf(instance);
  if (place !== '' && cluster === undefined) {
    const where = `it runs on the cluster ${JSON.stringify(place)}`;
    return notImplemented(`${nameOf(instance)} cannot be reached: ${where}, to which this server has no gateway`);
  }
  if (instance.metadata.annotations?.[sleepForceAnnotation] === 'true') {
    const what = `the annotation ${sleepForceAnnotation} of its ${virtualClusterInstanceKind.kind}`;
    return serviceUnavailable(
      `${nameOf(instance)} is asleep, as ${what} asks; nothing in it is lost: take the annotation away to wake it`,
    );
  }
  return isPrepared(instance) ? undefined : notReady(instance);
}

/** Before that it is not known who has which role in there. What failed later can be entered, and be mended. */
function isPrepared(instance: KubeObject): boolean {
  if (textAt(instance, 'status', 'serviceUID') === '') return false;
  const hasTemplate =
    textAt(instance, 'spec', 'templateRef', 'name') !== '' || valueAt(instance, 'spec', 'template') !== undefined;
  if (hasTemplate && valueAt(instance, 'status', 'virtualCluster') === undefined) return false;
  return textAt(instance, 'status', 'deployHash') !== '' || textAt(instance, 'status', 'phase') === 'Failed';
}

function notReady(instance: KubeObject): StatusError {
  const message = textAt(instance, 'status', 'message') || 'it is being made';
  return serviceUnavailable(`${nameOf(instance)} cannot be used yet: ${message}`, 1);
}

function beingRemoved(instance: KubeObject): StatusError {
  return serviceUnavailable(`${nameOf(instance)} is being removed`);
}

function asleepElsewhere(instance: KubeObject): StatusError {
  return serviceUnavailable(
    `${nameOf(instance)} is asleep: it was put to sleep on the cluster ${JSON.stringify(clusterOf(instance))}, and is to be woken there`,
  );
}

function nameOf({ metadata }: KubeObject): string {
  return `the virtual cluster ${JSON.stringify(metadata.name ?? '')}`;
}

function clusterOf(instance: KubeObject): string {
  return textAt(instance, 'spec', 'clusterRef', 'cluster');
}

function placeOf(instance: KubeObject): HostPlace {
  const at = (member: string) => textAt(instance, 'spec', 'clusterRef', member);
  return { namespace: at('namespace'), name: at('virtualCluster') };
}
