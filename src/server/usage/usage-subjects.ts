import { clusterKind } from '../../api/management/v1/cluster.ts';
import { projectKind } from '../../api/management/v1/project.ts';
import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import { builtInClusterName, projectOfNamespace } from '../../api/naming.ts';
import { type KindStores, storeOf } from '../../registry/kind-stores.ts';
import type { RecordedInstance, RecordedSubjects } from './usage-recorder.ts';
import type { SubjectKey } from './usage-rows.ts';

/** The members of an instance that usage depends on. */
interface KnownInstance {
  readonly uid: string;
  readonly project: string;
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly isRunning: boolean;
  readonly planeId: string | undefined;
}

/** Watches the objects whose usage is recorded. Reading thousands of instances for each interval would take too long. */
export class UsageSubjects implements RecordedSubjects {
  readonly #instances = new Map<string, KnownInstance>();
  /** The uids of projects and clusters by name. */
  readonly #projects = new Map<string, string>();
  readonly #clusters = new Map<string, string>();
  readonly #stops: (() => void)[];

  /** `onRemoved` is called with each subject that was deleted. */
  constructor(kinds: KindStores, onRemoved: (subject: SubjectKey) => void) {
    const virtualClusters = storeOf(kinds, virtualClusterInstanceKind);
    const spaces = storeOf(kinds, spaceInstanceKind);
    this.#stops = [
      virtualClusters.listen(({ before, after }) =>
        this.#follow(before?.object, after && knownVirtualCluster(after.object), onRemoved),
      ),
      spaces.listen(({ before, after }) => this.#follow(before?.object, after && knownSpace(after.object), onRemoved)),
      this.#followNames(kinds, projectKind, this.#projects, (uid) => onRemoved(`project/${uid}`)),
      this.#followNames(kinds, clusterKind, this.#clusters, (uid) => onRemoved(`cluster/${uid}`)),
    ];
    for (const { object } of virtualClusters.peekAll()) this.#follow(undefined, knownVirtualCluster(object), onRemoved);
    for (const { object } of spaces.peekAll()) this.#follow(undefined, knownSpace(object), onRemoved);
  }

  get instances(): Iterable<RecordedInstance> {
    const perNamespace = new Map<string, number>();
    for (const { cluster, namespace } of this.#instances.values()) {
      const place = `${cluster}/${namespace}`;
      perNamespace.set(place, (perNamespace.get(place) ?? 0) + 1);
    }
    return [...this.#instances.values()].map((instance) => ({
      ...instance,
      ownsNamespace: perNamespace.get(`${instance.cluster}/${instance.namespace}`) === 1,
      projectUid: this.#projects.get(instance.project),
      clusterUid: this.#clusters.get(instance.cluster),
    }));
  }

  get projects(): Iterable<string> {
    return this.#projects.values();
  }

  get clusters(): Iterable<string> {
    return this.#clusters.values();
  }

  /** The names of the clusters other than the built-in one. */
  get connectedClusters(): readonly string[] {
    return [...this.#clusters.keys()].filter((name) => name !== builtInClusterName);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }

  #follow(
    before: { readonly metadata: { readonly uid?: string } } | undefined,
    after: KnownInstance | undefined,
    onRemoved: (subject: SubjectKey) => void,
  ): void {
    if (after !== undefined) {
      this.#instances.set(after.uid, after);
      return;
    }
    const uid = before?.metadata.uid ?? '';
    this.#instances.delete(uid);
    onRemoved(`instance/${uid}`);
  }

  #followNames(
    kinds: KindStores,
    kind: typeof projectKind | typeof clusterKind,
    uids: Map<string, string>,
    onRemoved: (uid: string) => void,
  ): () => void {
    const store = storeOf(kinds, kind as typeof projectKind);
    for (const { object } of store.peekAll()) uids.set(object.metadata.name ?? '', object.metadata.uid ?? '');
    return store.listen(({ before, after }) => {
      const { name = '', uid = '' } = (after ?? before)?.object.metadata ?? {};
      if (after !== undefined) uids.set(name, uid);
      else {
        uids.delete(name);
        onRemoved(uid);
      }
    });
  }
}

function knownVirtualCluster({ metadata, spec, status }: VirtualClusterInstance): KnownInstance {
  const { cluster = '', namespace = '', virtualCluster = '' } = spec?.clusterRef ?? {};
  const { serviceUID } = status ?? {};
  return {
    uid: metadata.uid ?? '',
    project: projectOfNamespace(metadata.namespace ?? '') ?? '',
    cluster,
    namespace,
    name: virtualCluster,
    isRunning: status?.phase === 'Ready',
    planeId: cluster === builtInClusterName && serviceUID !== undefined ? `vc-${serviceUID}` : undefined,
  };
}

function knownSpace({ metadata, spec, status }: SpaceInstance): KnownInstance {
  const { cluster = '', namespace = '' } = spec?.clusterRef ?? {};
  return {
    uid: metadata.uid ?? '',
    project: projectOfNamespace(metadata.namespace ?? '') ?? '',
    cluster,
    namespace,
    name: '',
    isRunning: status?.phase === 'Ready',
    planeId: undefined,
  };
}
