import type { ClusterApi, Host, InstanceDriver } from '../../hosts/host.ts';
import type { Tenure } from '../../replicas/tenure.ts';

/**
 * Returns the hosts for the controllers of one tenure. The store cannot fence a call to another system. Such a call is
 * therefore made only if the heartbeats of this server succeed, and the caller must pass a signal that aborts with the
 * tenure. Always returns the same object for a host.
 */
export function hostsInTenure(
  hostOf: (cluster: string) => Host | undefined,
  tenure: Tenure,
): (cluster: string) => Host | undefined {
  if (tenure.fence === undefined) return hostOf;
  const wrapped = new WeakMap<Host, Host>();
  return (cluster) => {
    const host = hostOf(cluster);
    if (host === undefined) return undefined;
    const known = wrapped.get(host) ?? hostInTenure(host, tenure);
    wrapped.set(host, known);
    return known;
  };
}

function hostInTenure(host: Host, tenure: Tenure): Host {
  return {
    ...(host.preboundRoles === undefined ? {} : { preboundRoles: host.preboundRoles }),
    ...driverInTenure(host, tenure),
    spaces: driverInTenure(host.spaces, tenure),
    async discover(call) {
      tenure.assertCurrent();
      return await host.discover(call);
    },
    clusterApi: (location) => apiInTenure(host.clusterApi(location), tenure),
    logs: (location, request) => host.logs(location, request),
  };
}

function driverInTenure(driver: InstanceDriver, tenure: Tenure): InstanceDriver {
  const current = async <T>(call: () => Promise<T>): Promise<T> => {
    tenure.assertCurrent();
    return await call();
  };
  const sleepDataLoss = driver.sleepDataLoss?.bind(driver);
  return {
    ...(driver.isolatesNamespaces === undefined ? {} : { isolatesNamespaces: driver.isolatesNamespaces }),
    install: (request, call) => current(() => driver.install(request, call)),
    observe: (location, call) => current(() => driver.observe(location, call)),
    remove: (location, of, call) => current(() => driver.remove(location, of, call)),
    sleep: (location, call) => current(() => driver.sleep(location, call)),
    ...(sleepDataLoss === undefined
      ? {}
      : { sleepDataLoss: (location, call) => current(() => sleepDataLoss(location, call)) }),
    wake: (location, call) => current(() => driver.wake(location, call)),
    watch: (listener, signal) => driver.watch(listener, signal),
  };
}

function apiInTenure(api: ClusterApi, tenure: Tenure): ClusterApi {
  return {
    async send(request) {
      tenure.assertCurrent();
      return await api.send(request);
    },
  };
}
