import type { KubeObject } from '../api/meta.ts';
import type { StatusError } from '../api/status.ts';
import type { Identity } from '../auth/identity.ts';
import type { HostPlace } from '../hosts/host.ts';
import { followSignal } from '../http/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import { flagAt, textAt, valueAt } from '../lib/json-path.ts';
import type { Visit } from './inside.ts';
import type { ActivityLog } from './instance-activity.ts';
import {
  asleep,
  asleepElsewhere,
  beingRemoved,
  beingWoken,
  clusterOf,
  isForcedAsleep,
  nameOf,
  notReady,
  outOfReach,
  placeOf,
} from './instance-words.ts';
import { goOnUsing, Wakings } from './wakings.ts';

/** A virtual cluster as it stands on its cluster. */
export interface Standing {
  readonly uid: string;
  /** Whom it was made for; '' for one that was made by hand. */
  readonly owner: string;
  /** `opening`: it is on its way, as after a sleep. */
  readonly door: 'open' | 'opening' | 'asleep' | 'closing';
}

/** Whoever wants to get into a virtual cluster. */
export interface Visitor {
  /** What people call the virtual cluster. */
  readonly name: string;
  /** Tells that nobody waits any more. */
  ending(): AbortSignal;
}

/** A credential that somebody brings along, and the way in for who turns out to be somebody. */
export interface TokenBearer extends Visitor {
  readonly token: string;
  readonly uid: string;
  enter(): Promise<Visit>;
}

/** A cluster, as the gateway sees the virtual clusters on it. */
export interface GatewayCluster {
  /** undefined: there is none. Asked for every request: nothing is sent anywhere for it. */
  at(place: HostPlace): Standing | undefined | Promise<Standing | undefined>;
  enter(place: HostPlace, visitor: Visitor): Promise<Visit>;
  wake(place: HostPlace, signal: AbortSignal): Promise<void>;
  /** Settles when somebody can enter it, or when it has failed; rejects when the signal fires before. */
  opened(place: HostPlace, signal: AbortSignal): Promise<void>;
  /**
   * The service account of the virtual cluster of that uid whom a token stands for; undefined: nobody. Wakes nothing
   * before it is known that the token is good.
   */
  account(place: HostPlace, bearer: TokenBearer): Promise<AccountInside | undefined>;
}

/** A service account of a virtual cluster who has come with a token. */
export interface AccountInside {
  readonly identity: Identity;
  /** When the token ends, in milliseconds since the epoch; absent: the identity's signal tells. */
  readonly ends?: number;
}

export interface InstanceDoorsOptions {
  /** undefined: this server has no way to that cluster. */
  clusterOf(name: string): GatewayCluster | undefined;
  /** The instance as it is now; undefined: it is gone. */
  latest(instance: KubeObject): KubeObject | undefined;
  readonly activity: ActivityLog;
  /** Whether it sleeps because nobody used it, and not because somebody wants it to. */
  restsUnused(instance: KubeObject): boolean;
  readonly clock: Clock;
}

export interface InstanceDoors {
  /**
   * Wakes what may be woken, and waits for it, unless `ending` tells that nobody waits any more. Throws 501 and 503 where
   * nobody gets in now. `isSession`: it is a use for as long as it lasts, and not only when it begins and ends.
   */
  enter(instance: KubeObject, ending: () => AbortSignal, isSession?: boolean): Promise<Visit>;
  /** The service account of the instance's own virtual cluster whom a token stands for. `enter` as above. */
  account(
    instance: KubeObject,
    bearer: Pick<TokenBearer, 'token' | 'enter' | 'ending'>,
  ): Promise<AccountInside | undefined>;
}

const slowMilliseconds = 30_000;
const mostSlow = 1_000;

/** What stands at the place of an instance is its own only if the controller, which checked that, has noted its uid. */
export function instanceDoors(options: InstanceDoorsOptions): InstanceDoors {
  const { activity, clock } = options;
  /** When somebody last waited for one of these in vain. */
  const slow = new Map<string, number>();
  const wakings = new Wakings(options);

  async function standingOf(instance: KubeObject, cluster: GatewayCluster): Promise<Standing | undefined> {
    const found = await cluster.at(placeOf(instance));
    return found !== undefined && found.uid === textAt(instance, 'status', 'serviceUID') ? found : undefined;
  }

  /** However many come at once, it is woken once. */
  const wake = (instance: KubeObject, cluster: GatewayCluster, ending: AbortSignal): Promise<void> =>
    wakings.wait(instance.metadata.uid ?? '', {
      async work(signal) {
        const place = placeOf(instance);
        await cluster.wake(place, signal);
        await cluster.opened(place, signal);
      },
      ending,
      late: () => beingWoken(instance),
    });

  /** Somebody has woken it already, or it starts anew. What did not come in time is not waited for again so soon. */
  async function opened(instance: KubeObject, cluster: GatewayCluster, ending: AbortSignal): Promise<void> {
    const { uid = '' } = instance.metadata;
    const late = () => notReady(options.latest(instance) ?? instance);
    if (clock.elapsed() - (slow.get(uid) ?? Number.NEGATIVE_INFINITY) < slowMilliseconds) throw late();
    try {
      await wakings.wait(uid, { work: (signal) => cluster.opened(placeOf(instance), signal), ending, late });
      slow.delete(uid);
    } catch (error) {
      if (slow.size >= mostSlow) slow.clear();
      if (!ending.aborted) slow.set(uid, clock.elapsed());
      throw error;
    }
  }

  async function enter(instance: KubeObject, ending: () => AbortSignal, isSession = false): Promise<Visit> {
    const cluster = options.clusterOf(clusterOf(instance));
    const shut = whyShut(instance, cluster);
    if (shut !== undefined || cluster === undefined) throw shut ?? notReady(instance);
    const uid = instance.metadata.uid ?? '';
    // Before it is woken: whoever looks whether it may sleep on sees that it is used.
    activity.used(uid);
    const found = await standingOf(instance, cluster);
    if (found === undefined) throw notReady(instance);
    if (found.door === 'closing') throw beingRemoved(instance);
    if (found.door === 'asleep') {
      const isOurs = found.owner === uid || options.restsUnused(instance);
      if (!isOurs || flagAt(instance, 'spec', 'external')) throw asleepElsewhere(instance);
      await wake(instance, cluster, ending());
    }
    if (found.door === 'opening') await opened(instance, cluster, ending());
    if (found.door !== 'open' && (await standingOf(instance, cluster)) === undefined) throw notReady(instance);
    const visit = await cluster.enter(placeOf(instance), { name: nameOf(instance), ending });
    const stopUsing = isSession ? goOnUsing(options, uid) : () => {};
    return inWordsOf(instance, cluster, visit, (wasPutOut) => {
      stopUsing();
      if (!wasPutOut) void wasUsedUntilNow(instance, cluster);
    });
  }

  /**
   * Who has to leave because it falls asleep would wake it by that. Where its pods are gone before anybody is told, all
   * that is seen of it is a connection that ends.
   */
  async function wasUsedUntilNow(instance: KubeObject, cluster: GatewayCluster): Promise<void> {
    const now = clock.now();
    try {
      const standing = await standingOf(instance, cluster);
      if (standing === undefined || standing.door === 'asleep') return;
    } catch {
      // A cluster that does not answer tells nothing of a use that was seen.
    }
    activity.used(instance.metadata.uid ?? '', now);
  }

  /** What ends tells people of the instance, which they know, and not of what it is made of. */
  function inWordsOf(
    instance: KubeObject,
    cluster: GatewayCluster,
    visit: Visit,
    onLeave: (wasPutOut: boolean) => void,
  ): Visit {
    let letGo = () => {};
    let made: AbortController | undefined;
    const reasonOf = async (reason: unknown) => {
      const latest = options.latest(instance);
      if (latest === undefined || latest.metadata.deletionTimestamp !== undefined) return beingRemoved(instance);
      const door = (await cluster.at(placeOf(instance)))?.door;
      return door === 'asleep' ? asleep(latest) : door === 'closing' ? beingRemoved(instance) : reason;
    };
    return {
      inside: visit.inside,
      get signal() {
        if (made !== undefined) return made.signal;
        const controller = new AbortController();
        made = controller;
        letGo = followSignal(visit.signal, (reason) => {
          reasonOf(reason).then(
            (said) => controller.abort(said),
            () => controller.abort(reason),
          );
        });
        return controller.signal;
      },
      leave() {
        letGo();
        onLeave(made?.signal.aborted === true);
        visit.leave();
      },
    };
  }

  return {
    enter,
    async account(instance, bearer) {
      const cluster = options.clusterOf(clusterOf(instance));
      const uid = textAt(instance, 'status', 'serviceUID');
      if (cluster === undefined || uid === '') return undefined;
      return await cluster.account(placeOf(instance), { ...bearer, name: nameOf(instance), uid });
    },
  };
}

function whyShut(instance: KubeObject, cluster: GatewayCluster | undefined): StatusError | undefined {
  if (instance.metadata.deletionTimestamp !== undefined) return beingRemoved(instance);
  if (clusterOf(instance) !== '' && cluster === undefined) return outOfReach(instance);
  if (isForcedAsleep(instance)) return asleep(instance);
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
