import { type JsonObject, listAt, textAt } from '@flotilla/json';
import type { HostLocation } from '../../../src/hosts/host.ts';
import { readLines } from '../../../src/lib/read-lines.ts';
import { type Flotilla, instancesPath } from './open-flotilla.ts';
import type { Kubernetes } from './start-kubernetes.ts';

/** Measures the part of an instance's creation time that the server itself causes, in milliseconds. */
export interface InstanceTimes {
  /** Records when the create of the instance was sent. */
  created(name: string, place: HostLocation, at: number): void;
  medians(): { readonly untilHelm: number | undefined; readonly untilReady: number | undefined };
  stop(): Promise<void>;
}

interface Times {
  readonly namespace: string;
  readonly made: number;
  podReady?: number;
  ready?: number;
}

/**
 * Watches pods on the host and instances on the server concurrently. Records when each pod and each instance is first
 * ready.
 */
export function measureInstances(kubernetes: Kubernetes, flotilla: Flotilla): InstanceTimes {
  const stopping = new AbortController();
  const byName = new Map<string, Times>();

  const pods = kubernetes.api.watch(
    '/api/v1/pods?labelSelector=app%3Dvcluster',
    (_, pod) => {
      if (!isReady(pod)) return;
      const namespace = textAt(pod, 'metadata', 'namespace');
      for (const times of byName.values()) if (times.namespace === namespace) times.podReady ??= Date.now();
    },
    stopping.signal,
  );

  async function followInstances(): Promise<void> {
    const { body } = await flotilla.bench.request(flotilla.server, `${instancesPath}?watch=true`);
    stopping.signal.addEventListener('abort', () => body.destroy());
    try {
      for await (const line of readLines(body)) {
        const { object } = JSON.parse(line) as { object: JsonObject };
        const times = byName.get(textAt(object, 'metadata', 'name'));
        if (times !== undefined && isReady(object)) times.ready ??= Date.now();
      }
    } catch {
      // The watch was closed, or the server is gone. There is nothing more to measure.
    }
  }
  const instances = followInstances();

  function untilHelm(): number[] {
    const runs = kubernetes.audited().filter(({ userAgent = '' }) => userAgent.startsWith('Helm'));
    return [...byName.values()].flatMap(({ namespace, made }) => {
      const first = runs.find(({ requestURI }) => requestURI.includes(`/namespaces/${namespace}/`));
      return first === undefined ? [] : [Date.parse(first.requestReceivedTimestamp) - made];
    });
  }

  return {
    created: (name, { namespace }, at) => byName.set(name, { namespace, made: at }),
    medians: () => ({
      untilHelm: median(untilHelm()),
      untilReady: median(
        [...byName.values()].flatMap(({ podReady, ready }) =>
          podReady === undefined || ready === undefined ? [] : [ready - podReady],
        ),
      ),
    }),
    async stop() {
      stopping.abort();
      await Promise.all([pods, instances]);
    },
  };
}

function isReady(object: JsonObject): boolean {
  const ready = listAt(object, 'status', 'conditions').find((each) => textAt(each, 'type') === 'Ready');
  return textAt(ready, 'status') === 'True';
}

function median(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[values.length >> 1];
}
