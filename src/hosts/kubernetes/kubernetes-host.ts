import { setMaxListeners } from 'node:events';
import type { KubeObject } from '../../api/meta.ts';
import { serviceUnavailable } from '../../api/status.ts';
import { httpClient } from '../../client/http-client.ts';
import type { Clock } from '../../lib/clock.ts';
import { Lanes } from '../../lib/lanes.ts';
import type { Log } from '../../lib/log.ts';
import type { ClosableHost, HostCall, HostedVirtualCluster, HostPlace } from '../host.ts';
import { findObject } from '../owned-object.ts';
import { askMissingPods } from './ask-missing-pods.ts';
import { askVirtualCluster, type VirtualClusterAnswer } from './ask-virtual-cluster.ts';
import { controlPlaneApp } from './chart-labels.ts';
import { controlPlaneLog } from './control-plane-log.ts';
import { describeVirtualCluster, isAsleep, noPodsReason, withoutPods } from './describe-virtual-cluster.ts';
import { fallAsleep } from './fall-asleep.ts';
import { endpointOf, guardedWay, noVirtualCluster, readyPods } from './guarded-way.ts';
import { createHelm } from './helm.ts';
import type { HelmSettings } from './helm-settings.ts';
import type { HostConnection } from './host-connection.ts';
import { HostCopies, type PlaceFacts } from './host-copies.ts';
import { serviceFact } from './host-facts.ts';
import { serviceKind } from './host-kinds.ts';
import type { HostWork } from './host-work.ts';
import { Inquiries } from './inquiries.ts';
import { installRelease } from './install-release.ts';
import { metadataOnly } from './metadata-only.ts';
import { openWays } from './reach-virtual-cluster.ts';
import { removeRelease } from './remove-release.ts';
import { scaleDown, scaleUp } from './scale-workloads.ts';

export interface KubernetesHostOptions {
  /** The caller owns it; closing the host leaves it open. */
  readonly connection: HostConnection;
  readonly helm: HelmSettings;
  /** A directory for helm that only this server writes to. */
  readonly workDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The host driver for Kubernetes clusters: each virtual cluster is a release of vCluster's chart. Reads use a cache
 * with one watch per kind, started on first use; operations that change something read the cluster itself first.
 */
export function openKubernetesHost(options: KubernetesHostOptions): ClosableHost {
  const { connection, clock, log } = options;
  const hostClient = httpClient({ server: '', fetch: connection.fetch });
  const metadataClient = httpClient({ server: '', fetch: metadataOnly(connection.fetch) });
  const copies = new HostCopies({
    hostClient,
    metadataClient,
    async ask(signal) {
      const answer = await connection.own.send({ method: 'GET', path: '/version', headers: {}, signal });
      for await (const _ of answer.body);
    },
    clock,
    log,
  });
  const closing = new AbortController();
  // There is one listener per virtual cluster that waits.
  setMaxListeners(0, closing.signal);
  const lanes = new Lanes();
  const changes = new Set<Promise<unknown>>();
  const connections = openWays({
    connection,
    clock,
    log,
    direct: true,
    endpointOf: (place) => endpointOf(copies.factsOf(place)),
  });
  const onNews = (place: HostPlace) => copies.tell(place);
  const probes = new Inquiries<VirtualClusterAnswer>({
    ask: (place, signal) => askVirtualCluster(connections.to(place), clock, signal),
    isFinal: (answer) => 'kubernetesVersion' in answer,
    again: { firstMilliseconds: 250, longestMilliseconds: 10_000 },
    clock,
    onNews,
  });
  const missingPods = new Inquiries<string>({
    ask: (place, signal) => askMissingPods(hostClient, place, signal),
    isFinal: () => false,
    again: { firstMilliseconds: 1_000, longestMilliseconds: 60_000 },
    clock,
    onNews,
  });
  const work: HostWork = {
    hostClient,
    metadataClient,
    ownApi: { send: ({ as: _, ...request }) => connection.own.send(request) },
    helm: createHelm({ settings: options.helm, kubeconfig: connection.kubeconfig, workDir: options.workDir, clock }),
    settings: options.helm,
    copies,
    clock,
    opened: clock.elapsed(),
  };
  copies.listen(fallAsleep({ hostClient, copies, clock, log, signal: closing.signal }));
  copies.listen({
    onChange({ namespace, name }) {
      if (name !== undefined) connections.changed({ namespace, name });
    },
    onGap() {},
  });

  /** Serializes the operations on one virtual cluster, and aborts them when the host is closed. */
  async function change<T>(
    { namespace, name }: HostPlace,
    { signal }: HostCall,
    task: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const combined = signal === undefined ? closing.signal : AbortSignal.any([signal, closing.signal]);
    await copies.ready(combined);
    const changing = lanes.run(`${namespace}/${name}`, () => {
      combined.throwIfAborted();
      return task(combined);
    });
    changes.add(changing);
    try {
      return await changing;
    } finally {
      changes.delete(changing);
    }
  }

  /** Reads from the cache. If it has no such virtual cluster, asks the host, because the cache may lag behind. */
  async function snapshotAt(place: HostPlace, signal: AbortSignal): Promise<PlaceFacts> {
    await copies.ready(signal);
    const facts = copies.factsOf(place);
    if (facts.service !== undefined) return facts;
    const service = await findObject(hostClient.resource(serviceKind), place, { signal });
    if (service === undefined || !isApiService(service)) return facts;
    await copies.until(place, (known) => known.service !== undefined, signal);
    return copies.factsOf(place);
  }

  /** Adds the probe results, which no watch reports. */
  async function describe(facts: PlaceFacts): Promise<HostedVirtualCluster | undefined> {
    const { place } = facts;
    const seen = describeVirtualCluster(facts);
    if (seen?.phase !== 'Ready') probes.forget(place);
    if (seen?.phase !== 'Pending' || seen.reason !== noPodsReason) missingPods.forget(place);
    else {
      const message = await missingPods.answer(place, seen.uid);
      return message === '' ? { ...seen, reason: 'Starting' } : { ...seen, ...withoutPods(message) };
    }
    if (seen?.phase !== 'Ready') return seen;
    const answer = await probes.answer(place, [seen.uid, ...readyPods(facts).map(({ uid }) => uid)].join());
    return { ...seen, ...answer, phase: 'kubernetesVersion' in answer ? 'Ready' : 'Pending' };
  }

  async function scaleTo(
    place: HostPlace,
    call: HostCall | undefined,
    scale: typeof scaleDown,
    expectAsleep: boolean,
  ): Promise<void> {
    await change(place, call ?? {}, async (signal) => {
      if (!(await scale(hostClient, place, signal))) throw noVirtualCluster(place);
      await copies.until(place, (facts) => isAsleep(facts) === expectAsleep, signal);
    });
  }

  return {
    async discover({ signal = closing.signal } = {}) {
      await copies.ready(signal);
      return copies.places().flatMap((place) => {
        const seen = describeVirtualCluster(copies.factsOf(place));
        if (seen === undefined) return [];
        const answer = probes.known(place);
        return [answer !== undefined && 'kubernetesVersion' in answer ? { ...seen, ...answer } : seen];
      });
    },
    install: (wanted, call = {}) => change(wanted.place, call, (signal) => installRelease(work, wanted, signal)),
    observe: async (place, { signal = closing.signal } = {}) => await describe(await snapshotAt(place, signal)),
    remove: (place, of, call = {}) => change(place, call, (signal) => removeRelease(work, place, of, signal)),
    sleep: (place, call) => scaleTo(place, call, scaleDown, true),
    wake: (place, call) => scaleTo(place, call, scaleUp, false),
    follow: (listener, signal) => copies.follow(listener, signal),
    reach: (place) => guardedWay(place, copies, connections),
    async logs(place, wanted) {
      await copies.ready(wanted.signal);
      const facts = copies.factsOf(place);
      if (facts.service === undefined) throw noVirtualCluster(place);
      return await controlPlaneLog(connection.own, facts, wanted);
    },
    async close() {
      closing.abort(serviceUnavailable('the connection to the cluster has been closed'));
      probes.close();
      missingPods.close();
      // Lets helm exit cleanly and deletes its temporary files before the server stops.
      await Promise.allSettled([copies.close(), connections.close(), ...changes]);
    },
  };
}

function isApiService(service: KubeObject): boolean {
  return service.metadata.labels?.app === controlPlaneApp && serviceFact(service) !== undefined;
}
