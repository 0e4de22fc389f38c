import type { KnownKey, PolicyFrame, PolicyKind, PolicyLine } from '../api/agent/policy-feed.ts';
import type { KubeObject } from '../api/meta.ts';
import type { AccessState } from '../auth/authz/access-state.ts';
import type { JsonObject } from '../lib/json-value.ts';

/** Receives changes of the policy. Must be fast and must not throw. */
export interface ReplicaListener {
  /** These keys were changed or deleted. */
  onKeys(names: readonly string[]): void;
  onObject(kind: PolicyKind, before: KubeObject | undefined, after: KubeObject | undefined): void;
}

/** One consistent copy of the policy. */
interface PolicyCopy {
  frame: PolicyFrame | undefined;
  signingKeys: JsonObject;
  readonly objects: Map<string, { readonly kind: PolicyKind; readonly object: KubeObject }>;
  readonly keys: Map<string, KnownKey>;
}

const none: ReadonlySet<string> = new Set();

/**
 * The policy of the control server that decisions use. During a resync the old copy stays in effect, and the new one
 * replaces it when it is complete. So a broken connection rejects no caller and ends no stream.
 */
export class PolicyReplica implements AccessState {
  readonly selfService = false;
  readonly #listener: ReplicaListener;
  #current: PolicyCopy = emptyCopy();
  #incoming: PolicyCopy | undefined;

  constructor(listener: ReplicaListener) {
    this.#listener = listener;
  }

  /** `undefined` before the first sync. */
  get frame(): PolicyFrame | undefined {
    return this.#current.frame;
  }

  /** The key set as `/auth/jwks` returns it. The same object while it is unchanged. */
  get signingKeys(): JsonObject {
    return this.#current.signingKeys;
  }

  take(line: PolicyLine): void {
    switch (line.type) {
      case 'BEGIN': {
        const { type: _type, ...frame } = line;
        this.#incoming = { ...emptyCopy(), frame };
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
      case 'OBJECT': {
        const object = line.object as unknown as KubeObject;
        this.#object(line.kind, object.metadata.namespace ?? '', object.metadata.name ?? '', object);
        return;
      }
      case 'NO_OBJECT':
        this.#object(line.kind, line.namespace, line.name, undefined);
        return;
      case 'ALIVE':
    }
  }

  /** The current policy as feed lines, without SYNCED, whose time the caller supplies. */
  *lines(): Iterable<PolicyLine> {
    const { frame, signingKeys, objects, keys } = this.#current;
    if (frame === undefined) return;
    yield { type: 'BEGIN', ...frame };
    yield { type: 'SIGNING_KEYS', keys: signingKeys };
    for (const { kind, object } of objects.values()) {
      yield { type: 'OBJECT', kind, object: object as unknown as JsonObject };
    }
    for (const key of keys.values()) yield { type: 'KEY', key };
  }

  key(name: string): KnownKey | undefined {
    return this.#current.keys.get(name);
  }

  project(name: string): KubeObject | undefined {
    return this.#current.objects.get(objectKey('Project', '', name))?.object;
  }

  cluster(name: string): KubeObject | undefined {
    return this.#current.objects.get(objectKey('Cluster', '', name))?.object;
  }

  instance(namespace: string, name: string): KubeObject | undefined {
    return this.#current.objects.get(objectKey('VirtualClusterInstance', namespace, name))?.object;
  }

  instances(): KubeObject[] {
    return [...this.#current.objects.values()].flatMap(({ kind, object }) =>
      kind === 'VirtualClusterInstance' ? [object] : [],
    );
  }

  // Cluster, project and instance suffice for access to a cluster or an instance; nothing else is decided here.
  template(): undefined {}
  user(): undefined {}
  team(): undefined {}
  event(): undefined {}
  teamsOf(): readonly string[] {
    return [];
  }
  projectsOf(): ReadonlySet<string> {
    return none;
  }
  hasInstance(): boolean {
    return false;
  }

  #key(name: string, key: KnownKey | undefined): void {
    const { keys } = this.#incoming ?? this.#current;
    if (key === undefined) keys.delete(name);
    else keys.set(name, key);
    if (this.#incoming === undefined) this.#listener.onKeys([name]);
  }

  #object(kind: PolicyKind, namespace: string, name: string, object: KubeObject | undefined): void {
    const { objects } = this.#incoming ?? this.#current;
    const key = objectKey(kind, namespace, name);
    const before = objects.get(key)?.object;
    if (object === undefined) objects.delete(key);
    else objects.set(key, { kind, object });
    if (this.#incoming === undefined) this.#listener.onObject(kind, before, object);
  }

  #replace(incoming: PolicyCopy): void {
    const before = this.#current;
    this.#current = incoming;
    this.#incoming = undefined;
    for (const [key, { kind, object }] of before.objects) {
      this.#listener.onObject(kind, object, incoming.objects.get(key)?.object);
    }
    for (const [key, { kind, object }] of incoming.objects) {
      if (!before.objects.has(key)) this.#listener.onObject(kind, undefined, object);
    }
    const changedKeys = new Set([...before.keys.keys(), ...incoming.keys.keys()]);
    if (changedKeys.size > 0) this.#listener.onKeys([...changedKeys]);
  }
}

function emptyCopy(): PolicyCopy {
  return { frame: undefined, signingKeys: { keys: [] }, objects: new Map(), keys: new Map() };
}

function objectKey(kind: PolicyKind, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
