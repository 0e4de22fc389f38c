import type { JsonObject } from '@flotilla/json';
import {
  type ActiveAccessKey,
  keepaliveIntervalMs,
  type PolicyFeedHeader,
  type PolicyLine,
} from '../../api/agent/policy-feed.ts';
import { accessKeyKind } from '../../api/management/v1/access-key.ts';
import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { projectOfNamespace } from '../../api/naming.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { Clock } from '../../lib/clock.ts';
import { BoundedQueue } from '../../lib/queue/bounded-queue.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import { projectedCluster, projectedInstance, projectedProject, projectedSpace } from './policy-projection.ts';

export interface PolicySource {
  readonly kinds: KindStores;
  header(): Omit<PolicyFeedHeader, 'time' | 'revision'>;
  /**
   * Waits until the caches contain every acknowledged write of all replicas. Resolves with a revision up to which they are
   * complete. Absent if no other process writes to the store.
   */
  freshRevision?(): Promise<number>;
  /** Returns the access key with this name; `undefined` if it does not exist or is not active. */
  activeKey(name: string): ActiveAccessKey | undefined;
  /**
   * Calls `listener` with the names of keys whose permissions may have changed. Returns a function that removes the
   * listener.
   */
  onKeysChanged(listener: (names: Iterable<string>) => void): () => void;
  readonly signingKeys: { publicKeys(): object; onChange(listener: () => void): () => void };
  readonly clock: Clock;
}

/**
 * Maximum number of queued lines. An agent that reads too slowly is disconnected. It reconnects and receives the full
 * policy again.
 */
const maxQueued = 100_000;
/**
 * Lines are combined into chunks of about this many characters. Each chunk is flushed separately, so a chunk per line
 * would cause many small packets.
 */
const chunkLength = 64 * 1024;

/** Streams the policy of a cluster to its agent as JSON lines: first the full policy, then changes. Ends on abort. */
export async function* streamPolicyFeed(
  cluster: string,
  source: PolicySource,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  // Waits for the caches. The agent may have received newer changes from another replica, and must not get an older
  // policy now.
  const revision = await source.freshRevision?.();
  const changes = new PolicyChanges(cluster, source);
  const stopWaiting = () => changes.end();
  signal.addEventListener('abort', stopWaiting, { once: true });
  try {
    let chunk = '';
    for (const line of changes.everything(revision)) {
      chunk += `${JSON.stringify(line)}\n`;
      if (chunk.length < chunkLength) continue;
      yield chunk;
      chunk = '';
    }
    yield `${chunk}${JSON.stringify({ type: 'SYNCED', time: source.clock.now() } satisfies PolicyLine)}\n`;
    while (!signal.aborted) {
      const lines = await changes.next();
      if (lines === undefined) return;
      yield lines;
    }
  } finally {
    signal.removeEventListener('abort', stopWaiting);
    changes.end();
  }
}

/** Queues policy changes. It subscribes before the full policy is read, so that no change in between is lost. */
class PolicyChanges {
  readonly #cluster: string;
  readonly #source: PolicySource;
  readonly #queue = new BoundedQueue<PolicyLine>(maxQueued, { onChange: () => this.#wake() });
  /**
   * The number of instances and spaces on this cluster, by project. Only projects with an instance or a space on this
   * cluster are sent.
   */
  readonly #projects = new Map<string, number>();
  readonly #stops: (() => void)[];
  #wake: () => void = () => {};

  constructor(cluster: string, source: PolicySource) {
    this.#cluster = cluster;
    this.#source = source;
    const instances = this.#store(virtualClusterInstanceKind);
    const spaces = this.#store(spaceInstanceKind);
    for (const { object } of instances.peekAll()) if (this.#isOnCluster(object)) this.#count(object, 1);
    for (const { object } of spaces.peekAll()) if (this.#isOnCluster(object)) this.#count(object, 1);
    // If changes were missed, the stream ends. The agent reconnects and receives the full policy again.
    const onReload = () => this.end();
    this.#stops = [
      instances.listen(({ before, after }) => this.#instance(instanceLines, before?.object, after?.object), onReload),
      spaces.listen(({ before, after }) => this.#instance(spaceLines, before?.object, after?.object), onReload),
      this.#store(projectKind).listen(({ before, after }) => {
        const name = (after ?? before)?.object.metadata.name ?? '';
        if (this.#projects.has(name)) this.#project(name);
      }, onReload),
      this.#store(clusterKind).listen(({ after }) => {
        if (after?.object.metadata.name === cluster) this.#send(objectLine('Cluster', projectedCluster(after.object)));
      }, onReload),
      this.#store(accessKeyKind).listen(({ after }) => {
        // Handles new keys, and keys whose expiry is extended by use, because `onKeysChanged` reports neither.
        const name = after?.object.metadata.name;
        if (name !== undefined) this.#key(name);
      }, onReload),
      source.onKeysChanged((names) => {
        for (const name of names) this.#key(name);
      }),
      source.signingKeys.onChange(() => this.#send(this.#signingKeys())),
    ];
  }

  *everything(revision: number | undefined): Iterable<PolicyLine> {
    const time = this.#source.clock.now();
    yield { type: 'BEGIN', ...this.#source.header(), time, ...(revision === undefined ? {} : { revision }) };
    yield this.#signingKeys();
    const own = this.#store(clusterKind).peek('', this.#cluster);
    if (own !== undefined) yield objectLine('Cluster', projectedCluster(own.object));
    for (const name of [...this.#projects.keys()]) yield this.#projectLine(name);
    for (const { object } of this.#store(virtualClusterInstanceKind).peekAll()) {
      if (this.#isOnCluster(object)) yield instanceLines.present(object);
    }
    for (const { object } of this.#store(spaceInstanceKind).peekAll()) {
      if (this.#isOnCluster(object)) yield spaceLines.present(object);
    }
    for (const { object } of this.#store(accessKeyKind).peekAll()) {
      const key = this.#source.activeKey(object.metadata.name ?? '');
      if (key !== undefined) yield { type: 'KEY', key };
    }
  }

  /**
   * Returns the queued lines, or a keepalive if no line was queued for an interval; `undefined` if the queue has ended.
   * Rejects if this replica may have missed changes, so that the agent connects to another replica.
   */
  async next(): Promise<string | undefined> {
    const { clock } = this.#source;
    let revision: number | undefined;
    if (this.#queue.length === 0 && !this.#queue.ended) {
      await this.#changeOrInterval();
      if (this.#queue.length === 0 && !this.#queue.ended) revision = await this.#source.freshRevision?.();
    }
    const text = this.#takeQueued();
    if (text !== '') return text;
    if (this.#queue.ended) return undefined;
    const alive: PolicyLine = { type: 'ALIVE', time: clock.now(), ...(revision === undefined ? {} : { revision }) };
    return `${JSON.stringify(alive)}\n`;
  }

  async #changeOrInterval(): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = this.#source.clock.after(keepaliveIntervalMs, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
    this.#wake = () => {};
  }

  #takeQueued(): string {
    let text = '';
    for (let line = this.#queue.take(); line !== undefined; line = this.#queue.take()) {
      text += `${JSON.stringify(line)}\n`;
      if (text.length >= chunkLength) break;
    }
    return text;
  }

  end(): void {
    for (const stop of this.#stops) stop();
    this.#queue.end();
  }

  #store<Fields extends JsonObject>(kind: ResourceKind<Fields>) {
    return storeOf(this.#source.kinds, kind);
  }

  #send(line: PolicyLine): void {
    if (!this.#queue.push(line)) this.end();
  }

  #signingKeys(): PolicyLine {
    return { type: 'SIGNING_KEYS', keys: this.#source.signingKeys.publicKeys() as JsonObject };
  }

  #isOnCluster<Instance extends PlacedInstance>(instance: Instance | undefined): instance is Instance {
    return instance?.spec?.clusterRef?.cluster === this.#cluster;
  }

  #count(instance: PlacedInstance, by: 1 | -1): number {
    const project = projectOfNamespace(instance.metadata.namespace ?? '') ?? '';
    const count = (this.#projects.get(project) ?? 0) + by;
    if (count > 0) this.#projects.set(project, count);
    else this.#projects.delete(project);
    return count;
  }

  #instance<Instance extends PlacedInstance>(
    lines: InstanceLines<Instance>,
    before: Instance | undefined,
    after: Instance | undefined,
  ): void {
    if (this.#isOnCluster(after)) {
      const isNew = !this.#isOnCluster(before) && this.#count(after, 1) === 1;
      if (isNew) this.#project(projectOfNamespace(after.metadata.namespace ?? '') ?? '');
      this.#send(lines.present(after));
    } else if (this.#isOnCluster(before)) {
      const { namespace = '', name = '' } = before.metadata;
      this.#send(lines.absent(namespace, name));
      if (this.#count(before, -1) === 0) this.#project(projectOfNamespace(namespace) ?? '');
    }
  }

  #project(name: string): void {
    this.#send(this.#projectLine(name));
  }

  #projectLine(name: string): PolicyLine {
    const project = this.#projects.has(name) ? this.#store(projectKind).peek('', name) : undefined;
    if (project === undefined) return { type: 'NO_OBJECT', kind: 'Project', namespace: '', name };
    return objectLine('Project', projectedProject(project.object));
  }

  #key(name: string): void {
    const key = this.#source.activeKey(name);
    this.#send(key === undefined ? { type: 'NO_KEY', name } : { type: 'KEY', key });
  }
}

type PlacedInstance = VirtualClusterInstance | SpaceInstance;

/** The lines about the instances of one kind. */
interface InstanceLines<Instance extends PlacedInstance> {
  present(instance: Instance): PolicyLine;
  absent(namespace: string, name: string): PolicyLine;
}

const instanceLines: InstanceLines<VirtualClusterInstance> = {
  present: (instance) => objectLine('VirtualClusterInstance', projectedInstance(instance)),
  absent: (namespace, name) => ({ type: 'NO_OBJECT', kind: 'VirtualClusterInstance', namespace, name }),
};

const spaceLines: InstanceLines<SpaceInstance> = {
  present: (space) => ({ type: 'SPACE', object: projectedSpace(space) }),
  absent: (namespace, name) => ({ type: 'NO_SPACE', namespace, name }),
};

function objectLine(kind: 'Cluster' | 'Project' | 'VirtualClusterInstance', object: JsonObject): PolicyLine {
  return { type: 'OBJECT', kind, object };
}
