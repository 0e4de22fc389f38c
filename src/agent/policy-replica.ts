import type { KnownKey, PolicyFrame, PolicyKind, PolicyLine } from '../api/agent/policy-feed.ts';
import type { KubeObject } from '../api/meta.ts';
import type { AccessState } from '../auth/authz/access-state.ts';
import type { JsonObject } from '../lib/json-value.ts';

/** Hears what becomes true of what is known. Must be quick, and must not throw. */
export interface ReplicaListener {
  /** These keys are others than before, or gone. */
  onKeys(names: readonly string[]): void;
  onObject(kind: PolicyKind, before: KubeObject | undefined, after: KubeObject | undefined): void;
}

/** What the centre told, and what of it is true now. */
interface Contents {
  frame: PolicyFrame | undefined;
  signingKeys: JsonObject;
  readonly objects: Map<string, { readonly kind: PolicyKind; readonly object: KubeObject }>;
  readonly keys: Map<string, KnownKey>;
}

const none: ReadonlySet<string> = new Set();

/**
 * What decisions look up, as the centre told it. While everything is told anew what was known before holds; the two
 * change places when all of it is there, so that nobody is refused, and nothing ends, because a connection broke.
 */
export class PolicyReplica implements AccessState {
  readonly selfService = false;
  readonly #listener: ReplicaListener;
  #current: Contents = nothing();
  #coming: Contents | undefined;

  constructor(listener: ReplicaListener) {
    this.#listener = listener;
  }

  /** undefined: nothing has been told yet. */
  get frame(): PolicyFrame | undefined {
    return this.#current.frame;
  }

  /** As `/auth/jwks` answers them. The same object as long as they are the same. */
  get signingKeys(): JsonObject {
    return this.#current.signingKeys;
  }

  take(line: PolicyLine): void {
    switch (line.type) {
      case 'BEGIN': {
        const { type: _type, ...frame } = line;
        this.#coming = { ...nothing(), frame };
        return;
      }
      case 'SYNCED':
        if (this.#coming !== undefined) this.#replace(this.#coming);
        return;
      case 'SIGNING_KEYS':
        (this.#coming ?? this.#current).signingKeys = line.keys;
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

  /** Everything that is true, as it would be told. Without an end: the time is for who keeps it to say. */
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
    return this.#current.objects.get(placeOf('Project', '', name))?.object;
  }

  cluster(name: string): KubeObject | undefined {
    return this.#current.objects.get(placeOf('Cluster', '', name))?.object;
  }

  instance(namespace: string, name: string): KubeObject | undefined {
    return this.#current.objects.get(placeOf('VirtualClusterInstance', namespace, name))?.object;
  }

  instances(): KubeObject[] {
    return [...this.#current.objects.values()].flatMap(({ kind, object }) =>
      kind === 'VirtualClusterInstance' ? [object] : [],
    );
  }

  // Who may use a cluster or an instance is said by these three alone; nothing else is decided here.
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
    const { keys } = this.#coming ?? this.#current;
    if (key === undefined) keys.delete(name);
    else keys.set(name, key);
    if (this.#coming === undefined) this.#listener.onKeys([name]);
  }

  #object(kind: PolicyKind, namespace: string, name: string, object: KubeObject | undefined): void {
    const { objects } = this.#coming ?? this.#current;
    const place = placeOf(kind, namespace, name);
    const before = objects.get(place)?.object;
    if (object === undefined) objects.delete(place);
    else objects.set(place, { kind, object });
    if (this.#coming === undefined) this.#listener.onObject(kind, before, object);
  }

  #replace(coming: Contents): void {
    const before = this.#current;
    this.#current = coming;
    this.#coming = undefined;
    for (const [place, { kind, object }] of before.objects) {
      this.#listener.onObject(kind, object, coming.objects.get(place)?.object);
    }
    for (const [place, { kind, object }] of coming.objects) {
      if (!before.objects.has(place)) this.#listener.onObject(kind, undefined, object);
    }
    const touched = new Set([...before.keys.keys(), ...coming.keys.keys()]);
    if (touched.size > 0) this.#listener.onKeys([...touched]);
  }
}

function nothing(): Contents {
  return { frame: undefined, signingKeys: { keys: [] }, objects: new Map(), keys: new Map() };
}

function placeOf(kind: PolicyKind, namespace: string, name: string): string {
  return `${kind} ${namespace}/${name}`;
}
