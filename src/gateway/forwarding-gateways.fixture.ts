import type { Identity } from '../auth/identity.ts';
import type { ClusterApi, Host } from '../hosts/host.ts';
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
import { instanceGateway, instancePathDepth } from './instance-gateway.ts';
import { createTokenReviews } from './token-reviews.ts';

const unexpected = () => Promise.reject(new Error('not expected in this test'));

/**
 * Creates a cluster gateway and an instance gateway that both forward to one cluster with the name `far`. The only
 * instance, `demo`, has its virtual cluster there.
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
  const changes = createInstanceChanges();
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
    clusterOf: (name) => (name === 'far' ? far : undefined),
    latest: () => state.instance,
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
        handler: instanceGateway({
          chain,
          authorize,
          instance: (_namespace, name) => (name === 'demo' ? state.instance : undefined),
          access: doors,
          changes,
          tokens: { installation: 'x', verify: async () => undefined },
          resume: () => undefined,
          serviceAccountTokens: true,
          onPlane() {},
          clock,
        }),
      },
    ],
  });
  return { handler, changes, activity, rooms };
}

function hostOf(state: ForwardingState, api: ClusterApi): Host {
  return {
    discover: unexpected,
    install: unexpected,
    remove: unexpected,
    sleep: unexpected,
    logs: unexpected,
    async observe(location) {
      await state.hostSynced;
      const { phase } = state;
      return { location, uid: 'v1', phase, reason: '', message: '', kubernetesVersion: 'v1.36.3', owner: 'i1' };
    },
    async wake() {
      state.woken += 1;
    },
    async watch({ onChange, onGap }, signal) {
      onGap();
      state.onHostChange = () => onChange({ namespace: 'n', name: 'v' });
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    },
    clusterApi: () => api,
  };
}
