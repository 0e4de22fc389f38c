import type { Identity } from '../auth/identity.ts';
import type { ClusterApi, Host, HostLocation } from '../hosts/host.ts';
import type { AuthenticatedChainOptions } from '../http/chain.ts';
import { passThrough } from '../http/exchange.ts';
import { inFlightFilter } from '../http/filters/in-flight.ts';
import { sourceLimitFilter } from '../http/filters/source-limit.ts';
import { router } from '../http/router.ts';
import { systemClock as clock } from '../lib/clock.ts';
import { silentLog as log } from '../lib/log.ts';
import { clusterGateway } from './cluster-gateway.ts';
import { TargetLimiters } from './forward/target-limiter.ts';
import type { ForwardingState } from './forwarding-state.fixture.ts';
import { hostedCluster } from './hosted-cluster.ts';
import { createInstanceAccess } from './instance-access.ts';
import { createActivityLog } from './instance-activity.ts';
import { createInstanceChanges } from './instance-changes.ts';
import { instancePathDepth } from './instance-gateway.ts';
import { virtualClusterType } from './instance-type.ts';
import { projectGateway } from './project-gateway.ts';
import { createTokenReviews } from './reviews/token-reviews.ts';
import { remoteSpaces } from './spaces/space-cluster.ts';
import { spaceType } from './spaces/space-type.ts';

const unexpected = () => Promise.reject(new Error('not expected in this test'));

/**
 * Creates a cluster gateway and a project gateway that both forward to one cluster with the name `far`. This cluster
 * has one virtual cluster, `demo`, and one space, `web`.
 */
export function createForwardingGateways(state: ForwardingState, api: ClusterApi) {
  const chain: AuthenticatedChainOptions = {
    clock,
    log,
    depth: 0,
    authenticate: (token) => state.identity(token),
    auditLog: state.audit,
    auditRules: [{ level: 'Metadata' }],
    sourceLimit: sourceLimitFilter({ clock }),
    keyRate: passThrough,
    watchLimit: passThrough,
    inFlight: inFlightFilter({ clock, reads: 20, writes: 20, waitMilliseconds: 1_000 }),
  };
  const authorize = (identity: Identity, attributes: Parameters<ForwardingState['decide']>[1]) =>
    state.decide(identity, attributes);
  const rooms = new TargetLimiters();
  const activity = createActivityLog(clock);
  const changes = createInstanceChanges(virtualClusterType);
  const far = hostedCluster({
    host: hostOf(state, api),
    cluster: 'far',
    pathDepth: instancePathDepth,
    tokenReviews: createTokenReviews({ clock }),
    limiters: rooms,
    isOwnToken: async (token) => token.startsWith('own.'),
    clock,
  });
  const doors = createInstanceAccess({
    type: virtualClusterType,
    clusterOf: (name) => (name === 'far' ? far : undefined),
    latest: () => state.instance,
    activity,
    sleepsFromInactivity: () => true,
    clock,
  });
  const spaceChanges = createInstanceChanges(spaceType);
  const spacesOnFar = remoteSpaces({ host: hostOf(state, api), cluster: 'far', api, limiters: rooms, clock });
  const spaces = createInstanceAccess({
    type: spaceType,
    clusterOf: (name) => (name === 'far' ? spacesOnFar : undefined),
    latest: () => state.space,
    activity,
    sleepsFromInactivity: () => true,
    clock,
  });
  const builtIn = {
    local: { authorize: unexpected, serve: unexpected, authenticate: async () => undefined },
    virtualPlanes: { enter: unexpected, planeIdAt: () => undefined },
    isTokenOf: async () => false,
  };
  const handler = router({
    clock,
    log,
    mounts: [
      {
        prefix: '/kubernetes/cluster',
        handler: clusterGateway({
          builtInName: 'local',
          builtIn,
          chain,
          authorize,
          hasCluster: (name) => name === 'far' || name === 'dumb',
          apiOf: (name) => (name === 'far' ? api : undefined),
          limiters: rooms,
          onPlane() {},
        }),
      },
      {
        prefix: '/kubernetes/project',
        handler: projectGateway({
          chain,
          authorize,
          virtualClusters: {
            instance: (_namespace, name) => (name === 'demo' ? state.instance : undefined),
            access: doors,
            changes,
            serviceAccounts: { areAccepted: true, limits: { maxAgeSeconds: 0 } },
          },
          spaces: {
            instance: (_namespace, name) => (name === 'web' ? state.space : undefined),
            access: spaces,
            changes: spaceChanges,
          },
          tokens: { installation: 'x', verify: async () => undefined },
          resume: () => undefined,
          onPlane() {},
          clock,
        }),
      },
    ],
  });
  return { handler, changes, spaceChanges, activity, rooms };
}

function hostOf(state: ForwardingState, api: ClusterApi): Host {
  const hosted = (location: HostLocation, uid: string, owner: string) => {
    const { phase } = state;
    return { location, uid, phase, reason: '', message: '', kubernetesVersion: 'v1.36.3', owner };
  };
  const watch: Host['watch'] = async ({ onChange, onGap }, signal) => {
    onGap();
    state.onHostChange = () => {
      onChange({ namespace: 'n', name: 'v' });
      onChange({ namespace: 'own', name: '' });
    };
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  };
  const wake = async () => {
    state.woken += 1;
  };
  return {
    spaces: {
      install: unexpected,
      remove: unexpected,
      sleep: unexpected,
      async observe(location) {
        await state.hostSynced;
        return hosted(location, 'n1', 's1');
      },
      wake,
      watch,
    },
    discover: unexpected,
    install: unexpected,
    remove: unexpected,
    sleep: unexpected,
    logs: unexpected,
    async observe(location) {
      await state.hostSynced;
      return hosted(location, 'v1', 'i1');
    },
    wake,
    watch,
    clusterApi: () => api,
  };
}
