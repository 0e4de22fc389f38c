import type { JsonObject } from '@flotilla/json';
import type { ActiveAccessKey, PolicyFeedHeader, PolicyLine } from '../../api/agent/policy-feed.ts';
import { type Cluster, clusterKind } from '../../api/management/v1/cluster.ts';
import { type Project, projectKind } from '../../api/management/v1/project.ts';
import { type SpaceInstance, spaceInstanceKind } from '../../api/management/v1/space-instance.ts';
import {
  type VirtualClusterInstance,
  virtualClusterInstanceKind,
} from '../../api/management/v1/virtual-cluster-instance.ts';
import type { KubeObject } from '../../api/meta.ts';
import { typedObject } from '../../api/resource.ts';
import type { AccessState } from '../../auth/authz/access-state.ts';

/** Receives the changes to the cached policy. Its functions must be fast and must not throw. */
export interface ReplicaListener {
  /** Called with the names of access keys that were added, changed or deleted. */
  onKeysChanged(names: readonly string[]): void;
  /** Called when an object was added (`before` is `undefined`), changed, or deleted (`after` is `undefined`). */
  onObjectChanged(kind: PolicyObject['kind'], before: PolicyObject | undefined, after: PolicyObject | undefined): void;
}

/** An object that decides about access. It contains only the fields that the decisions need. */
export type PolicyObject =
  | { readonly kind: 'Cluster'; readonly object: Cluster }
  | { readonly kind: 'Project'; readonly object: Project }
  | { readonly kind: 'VirtualClusterInstance'; readonly object: VirtualClusterInstance }
  | { readonly kind: 'SpaceInstance'; readonly object: SpaceInstance };

/** One consistent version of the policy. */
interface PolicyCopy {
  header: PolicyFeedHeader | undefined;
  signingKeys: JsonObject;
  readonly objects: Map<string, PolicyObject>;
  readonly keys: Map<string, ActiveAccessKey>;
}

const none: ReadonlySet<string> = new Set();

/**
 * The copy of the control server's policy on which the agent bases its decisions. While the agent receives a new full
 * policy, the old one stays in effect. A broken connection therefore neither rejects a caller nor ends a stream.
 */
export class PolicyReplica implements AccessState {
  readonly selfService = false;
  readonly #listener: ReplicaListener;
  #current: PolicyCopy = emptyCopy();
  #incoming: PolicyCopy | undefined;

  constructor(listener: ReplicaListener) {
    this.#listener = listener;
  }

  /** The first line of the policy; `undefined` before the first full policy has arrived. */
  get header(): PolicyFeedHeader | undefined {
    return this.#current.header;
  }

  /** The signing keys, in the format of `/auth/jwks`. Returns the same object as long as the keys have not changed. */
  get signingKeys(): JsonObject {
    return this.#current.signingKeys;
  }

  apply(line: PolicyLine): void {
    switch (line.type) {
      case 'BEGIN': {
        const { type: _type, ...header } = line;
        this.#incoming = { ...emptyCopy(), header };
        return;
      }
      case 'SYNCED':
        if (this.#incoming !== undefined) this.#replace(this.#incoming);
        return;
      case 'SIGNING_KEYS':
        (this.#incoming ?? this.#current).signingKeys = line.keys;
        return;
      case 'KEY':
        this.#key(line.key.name, line.key);
        return;
      case 'NO_KEY':
        this.#key(line.name, undefined);
        return;
      case 'OBJECT':
        this.#add(policyObject(line.kind, line.object));
        return;
      case 'NO_OBJECT':
        this.#object(line.kind, line.namespace, line.name, undefined);
        return;
      case 'SPACE':
        this.#add(policyObject('SpaceInstance', line.object));
        return;
      case 'NO_SPACE':
        this.#object('SpaceInstance', line.namespace, line.name, undefined);
        return;
      case 'ALIVE':
        this.#confirm(line.revision);
    }
  }

  /** Returns the current policy as lines. The final line SYNCED is missing, because the caller must set its time. */
  *lines(): Iterable<PolicyLine> {
    const { header, signingKeys, objects, keys } = this.#current;
    if (header === undefined) return;
    yield { type: 'BEGIN', ...header };
    yield { type: 'SIGNING_KEYS', keys: signingKeys };
    for (const { kind, object } of objects.values()) {
      yield kind === 'SpaceInstance' ? { type: 'SPACE', object } : { type: 'OBJECT', kind, object };
    }
    for (const key of keys.values()) yield { type: 'KEY', key };
  }

  key(name: string): ActiveAccessKey | undefined {
    return this.#current.keys.get(name);
  }

  project(name: string): Project | undefined {
    const found = this.#current.objects.get(objectKey('Project', '', name));
    return found?.kind === 'Project' ? found.object : undefined;
  }

  cluster(name: string): Cluster | undefined {
    const found = this.#current.objects.get(objectKey('Cluster', '', name));
    return found?.kind === 'Cluster' ? found.object : undefined;
  }

  instance(namespace: string, name: string): VirtualClusterInstance | undefined {
    return asInstance(this.#current.objects.get(objectKey('VirtualClusterInstance', namespace, name)));
  }

  space(namespace: string, name: string): SpaceInstance | undefined {
    return asSpace(this.#current.objects.get(objectKey('SpaceInstance', namespace, name)));
  }

  /** Returns all virtual clusters and spaces on the agent's cluster. */
  instances(): (VirtualClusterInstance | SpaceInstance)[] {
    return [...this.#current.objects.values()]
      .map((each) => asInstance(each) ?? asSpace(each))
      .filter((instance) => instance !== undefined);
  }

  // The functions below return nothing, because an agent decides only about access to its cluster and its instances.
  // These decisions do not depend on the kinds that the functions look up.
  template(): undefined {}
  spaceTemplate(): undefined {}
  user(): undefined {}
  team(): undefined {}
  accessKey(): undefined {}
  event(): undefined {}
  configObject(): undefined {}
  teamsOf(): readonly string[] {
    return [];
  }
  projectsOf(): ReadonlySet<string> {
    return none;
  }
  hasReadableInstance(): boolean {
    return false;
  }

  #key(name: string, key: ActiveAccessKey | undefined): void {
    const { keys } = this.#incoming ?? this.#current;
    if (key === undefined) keys.delete(name);
    else keys.set(name, key);
    if (this.#incoming === undefined) this.#listener.onKeysChanged([name]);
  }

  #add(added: PolicyObject): void {
    const { namespace = '', name = '' } = added.object.metadata;
    this.#object(added.kind, namespace, name, added);
  }

  #object(kind: PolicyObject['kind'], namespace: string, name: string, after: PolicyObject | undefined): void {
    const { objects } = this.#incoming ?? this.#current;
    const key = objectKey(kind, namespace, name);
    const before = objects.get(key);
    if (after === undefined) objects.delete(key);
    else objects.set(key, after);
    if (this.#incoming === undefined) this.#listener.onObjectChanged(kind, before, after);
  }

  /** Records that the policy contains all changes up to this revision. */
  #confirm(revision: number | undefined): void {
    const { header } = this.#current;
    if (header !== undefined && revision !== undefined) this.#current.header = { ...header, revision };
  }

  #replace(incoming: PolicyCopy): void {
    const before = this.#current;
    this.#current = incoming;
    this.#incoming = undefined;
    for (const [key, old] of before.objects) {
      this.#listener.onObjectChanged(old.kind, old, incoming.objects.get(key));
    }
    for (const [key, added] of incoming.objects) {
      if (!before.objects.has(key)) this.#listener.onObjectChanged(added.kind, undefined, added);
    }
    const changedKeys = new Set([...before.keys.keys(), ...incoming.keys.keys()]);
    if (changedKeys.size > 0) this.#listener.onKeysChanged([...changedKeys]);
  }
}

export function asInstance(found: PolicyObject | undefined): VirtualClusterInstance | undefined {
  return found?.kind === 'VirtualClusterInstance' ? found.object : undefined;
}

export function asSpace(found: PolicyObject | undefined): SpaceInstance | undefined {
  return found?.kind === 'SpaceInstance' ? found.object : undefined;
}

/**
 * Adds apiVersion and kind to an object that the control server sent without them. The fields of the object are not
 * validated.
 */
function policyObject(kind: PolicyObject['kind'], sent: JsonObject): PolicyObject {
  const object = sent as unknown as KubeObject;
  switch (kind) {
    case 'Cluster':
      return { kind, object: typedObject(clusterKind, object) };
    case 'Project':
      return { kind, object: typedObject(projectKind, object) };
    case 'VirtualClusterInstance':
      return { kind, object: typedObject(virtualClusterInstanceKind, object) };
    case 'SpaceInstance':
      return { kind, object: typedObject(spaceInstanceKind, object) };
  }
}

function emptyCopy(): PolicyCopy {
  return { header: undefined, signingKeys: { keys: [] }, objects: new Map(), keys: new Map() };
}

function objectKey(kind: PolicyObject['kind'], namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
