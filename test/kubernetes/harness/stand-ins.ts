import { join } from 'node:path';
import { type JsonObject, textAt } from '@flotilla/json';
import type { HostLocation } from '../../../src/hosts/host.ts';
import type { HostApi } from './host-api.ts';
import type { KubernetesPrograms } from './programs.ts';
import { makeVolume, type StandIn, type StandInVolume, startStandIn } from './stand-in.ts';
import type { TestNode } from './test-node.ts';

const port = 8443;

/**
 * Simulates what runs in vCluster pods: one API for each virtual cluster that has a pod. The API runs as long as the
 * virtual cluster has pods.
 */
export interface StandIns {
  /** Returns the stand-in at the location. Waits until the stand-in responds. */
  of(location: HostLocation): Promise<StandIn>;
  stop(): Promise<void>;
}

export interface StandInsOptions {
  readonly api: HostApi;
  readonly node: TestNode;
  readonly programs: KubernetesPrograms;
  readonly etcdUrl: string;
  readonly folder: string;
  readonly nodesInside: boolean;
}

interface Release {
  readonly location: HostLocation;
  /** The names and uids of the release's pods. */
  readonly pods: Map<string, string>;
  running: StandIn | undefined;
  /** Resolves when all queued operations on the release are done. */
  turn: Promise<void>;
}

export function followPods(options: StandInsOptions): StandIns {
  const { api, node, programs, etcdUrl, folder, nodesInside } = options;
  const releases = new Map<string, Release>();
  const volumes = new Map<string, Promise<StandInVolume>>();
  const waiting = new Set<() => void>();
  const stop = new AbortController();
  let starts = 0;

  function onEvent(type: string, pod: JsonObject): void {
    const location = {
      namespace: textAt(pod, 'metadata', 'namespace'),
      name: textAt(pod, 'metadata', 'labels', 'release'),
    };
    const release = releases.get(keyOf(location)) ?? {
      location,
      pods: new Map(),
      running: undefined,
      turn: Promise.resolve(),
    };
    releases.set(keyOf(location), release);
    const name = textAt(pod, 'metadata', 'name');
    const uid = textAt(pod, 'metadata', 'uid');
    const gone = type === 'DELETED' || textAt(pod, 'metadata', 'deletionTimestamp') !== '';
    if (gone) {
      if (release.pods.get(name) !== uid) return;
      release.pods.delete(name);
      node.route(location.namespace, name, port, undefined);
    } else {
      if (release.pods.get(name) === uid) return;
      release.pods.set(name, uid);
    }
    release.turn = release.turn.then(() => settle(release)).catch(report);
  }

  async function settle(release: Release): Promise<void> {
    const { location, pods } = release;
    if (stop.signal.aborted) return;
    if (pods.size === 0) {
      await release.running?.stop();
      release.running = undefined;
      return;
    }
    release.running ??= await begin(release);
    for (const name of pods.keys()) {
      node.route(location.namespace, name, port, new URL(release.running.url).host);
    }
    for (const look of waiting) look();
  }

  async function begin({ location, pods }: Release): Promise<StandIn> {
    const volume = await volumeOf(location, [...pods.values()][0] ?? '');
    starts += 1;
    const standIn = await startStandIn({
      location,
      volume,
      programs,
      etcdUrl,
      folder: join(folder, `virtual-${starts}`),
    });
    try {
      if (nodesInside) await standIn.startNode();
      await writeSecret(standIn);
    } catch (error) {
      await standIn.stop();
      throw error;
    }
    return standIn;
  }

  /**
   * Returns the volume of the virtual cluster's persistent volume claim. Without a claim, returns a volume for this pod
   * only.
   */
  async function volumeOf({ namespace, name }: HostLocation, pod: string): Promise<StandInVolume> {
    const claim = await api.request('GET', `/api/v1/namespaces/${namespace}/persistentvolumeclaims/data-${name}-0`);
    const id = claim.code === 200 ? textAt(claim.body, 'metadata', 'uid') : pod;
    const known = volumes.get(id) ?? makeVolume(id);
    volumes.set(id, known);
    return await known;
  }

  async function writeSecret({ location: { namespace, name }, secret }: StandIn): Promise<void> {
    const service = await api.request('GET', `/api/v1/namespaces/${namespace}/services/${name}`);
    const uid = textAt(service.body, 'metadata', 'uid');
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: `vc-${name}`,
        labels: { app: 'vcluster', 'vcluster-name': name },
        ownerReferences: service.code === 200 ? [{ apiVersion: 'v1', kind: 'Service', name, uid }] : [],
      },
      type: 'Opaque',
      stringData: secret,
    };
    const query = 'fieldManager=vcluster&force=true';
    const path = `/api/v1/namespaces/${namespace}/secrets/vc-${name}?${query}`;
    await api.ok('PATCH', path, object, 'application/apply-patch+yaml');
  }

  /** Prints the error. Does not throw, because a namespace may be deleted during the start of its virtual cluster. */
  function report(error: unknown): void {
    if (!stop.signal.aborted) process.stderr.write(`a virtual cluster did not start: ${String(error)}\n`);
  }

  const following = api.watch('/api/v1/pods?labelSelector=app%3Dvcluster', onEvent, stop.signal);
  return {
    of: (location) =>
      new Promise((resolve) => {
        const look = () => {
          const running = releases.get(keyOf(location))?.running;
          if (running === undefined) return;
          waiting.delete(look);
          resolve(running);
        };
        waiting.add(look);
        look();
      }),
    async stop() {
      stop.abort();
      await following;
      await Promise.all([...releases.values()].map(({ turn }) => turn));
      await Promise.all([...releases.values()].map(({ running }) => running?.stop()));
    },
  };
}

function keyOf({ namespace, name }: HostLocation): string {
  return `${namespace}/${name}`;
}
