import { serviceUnavailable } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Identity } from '../auth/identity.ts';
import type { ApiRequest, Host, HostedVirtualCluster, HostPlace } from '../hosts/host.ts';
import { followSignal } from '../http/request-end.ts';
import type { Clock } from '../lib/clock.ts';
import { within } from '../lib/within.ts';
import type { AccountReviews } from './account-reviews.ts';
import type { GatewayCluster, Standing } from './instance-doors.ts';
import { remoteCluster } from './remote-cluster.ts';
import type { TargetRooms } from './target-room.ts';

export interface HostedClusterOptions {
  readonly host: Host;
  /** Its name among the connected clusters. */
  readonly cluster: string;
  /** Segments of the path in front of the virtual cluster's own. */
  readonly depth: number;
  readonly reviews: AccountReviews;
  readonly rooms: TargetRooms;
  /** Whether a token was made by this server, whoever it is for: such a one is shown to nobody else. */
  isOwnToken(token: string): Promise<boolean>;
  readonly clock: Clock;
}

const never = new AbortController().signal;

/** The virtual clusters of a connected cluster, which requests are passed on to. */
export function hostedCluster(options: HostedClusterOptions): GatewayCluster {
  const { host, cluster, reviews } = options;
  /** What the accounts of virtual clusters have come with. */
  const tokens = new WeakMap<Identity, string>();
  const asWhom = (caller: Identity): ApiRequest['as'] => {
    const token = tokens.get(caller);
    return token === undefined ? caller.user : { token };
  };
  const targetOf = ({ namespace, name }: HostPlace) => `${cluster}/${namespace}/${name}`;

  /** What the host knows it knows at once; one that has not heard of its cluster yet is not waited for long. */
  async function at(place: HostPlace): Promise<Standing | undefined> {
    const late = () => serviceUnavailable(`the cluster ${JSON.stringify(cluster)} does not answer`, 1);
    const found = await within({ clock: options.clock, milliseconds: longestLook, late }, (signal) =>
      host.observe(place, { signal }),
    );
    return found && { uid: found.uid, owner: found.owner, door: doorOf(found) };
  }

  function identityOf(user: UserInfo, token: string, uid: string): Identity {
    // Every virtual cluster has accounts of the same names; none of them works at the expense of another's.
    const identity: Identity = { user, countedAs: `${uid}/${user.name}`, system: false, signal: never };
    tokens.set(identity, token);
    return identity;
  }

  return {
    at,
    async enter(place, { name, ending }) {
      const room = options.rooms.of(targetOf(place));
      const api = host.reach(place);
      return {
        inside: remoteCluster({ api, name, depth: options.depth, asWhom, room, ending }),
        signal: never,
        leave() {},
      };
    },
    wake: (place, signal) => host.wake(place, { signal }),
    opened: (place, signal) => isReady(host, place, signal),

    async account(place, { token, uid, name }) {
      if (await options.isOwnToken(token)) return undefined;
      const target = `${targetOf(place)}/${uid}`;
      try {
        const standing = await at(place);
        if (standing?.uid !== uid) return undefined;
        // Only the virtual cluster itself can tell whether a token is good, and it is not woken to be asked.
        if (standing.door === 'asleep') throw serviceUnavailable(`${name} is ${asleepToAccounts}`);
        if (standing.door === 'closing') throw serviceUnavailable(`${name} is being removed`);
        const account = await reviews.accountOf(target, host.reach(place), token);
        if (account === undefined) return undefined;
        const { user, ends } = account;
        return { identity: identityOf(user, token, uid), ...(ends === undefined ? {} : { ends }) };
      } catch (error) {
        // Nobody is told anything whose token it has not known before.
        if (reviews.wasGood(target, token)) throw error;
        return undefined;
      }
    },
  };
}

const asleepToAccounts = 'asleep; nothing in it is lost: somebody with an access key who uses it wakes it';
const longestLook = 5_000;

function doorOf({ phase }: HostedVirtualCluster): Standing['door'] {
  if (phase === 'Sleeping') return 'asleep';
  return phase === 'Removing' ? 'closing' : phase === 'Pending' ? 'opening' : 'open';
}

/** Looks again whenever something happens there. */
async function isReady(host: Host, place: HostPlace, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  await new Promise<void>((resolve, reject) => {
    const letGo = followSignal(signal, reject);
    const look = () => {
      host.observe(place, { signal }).then((found) => {
        // Whoever comes to one that has failed hears from it why.
        if (found?.phase === 'Ready' || found?.phase === 'Failed') resolve();
      }, reject);
    };
    const onChange = ({ namespace, name = place.name }: { readonly namespace: string; readonly name?: string }) => {
      if (namespace === place.namespace && name === place.name) look();
    };
    void host.follow({ onChange, onGap: look }, over.signal).finally(letGo);
  }).finally(() => over.abort());
}
