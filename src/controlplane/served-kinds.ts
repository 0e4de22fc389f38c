import type { ResourceKind } from '../api/resource.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';

/** All resources that a plane serves: the fixed kinds that it was opened with, and the kinds added at run time. */
export class ServedKinds {
  readonly #fixed: readonly MountedResource[];
  readonly #added = new Map<string, readonly MountedResource[]>();
  #all: readonly MountedResource[] = [];
  /** The served resources by plural name. Few kinds share a plural name, so the lists are short. */
  #byPlural: ReadonlyMap<string, readonly MountedResource[]> = new Map();

  constructor(fixed: readonly MountedResource[]) {
    this.#fixed = fixed;
    this.#rebuild();
  }

  get all(): readonly MountedResource[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): MountedResource | undefined {
    // Called several times per request. A map with path strings as keys would be several times slower.
    for (const mounted of this.#byPlural.get(plural) ?? none) {
      if (mounted.kind.group === group && mounted.kind.version === version) return mounted;
    }
    return undefined;
  }

  /** Replaces the served resources of added kinds, by resource key. An empty list removes the kind. */
  replace(changes: ReadonlyMap<string, readonly MountedResource[]>): void {
    for (const [key, mounted] of changes) {
      if (mounted.length === 0) this.#added.delete(key);
      else this.#added.set(key, mounted);
    }
    this.#rebuild();
  }

  /** True if the kind is now served at a path at which the resources in `mounted` would not serve it. */
  removesPath(key: string, mounted: readonly MountedResource[]): boolean {
    const kept = new Set(mounted.map(({ kind }) => pathOf(kind)));
    return (this.#added.get(key) ?? []).some(({ kind }) => !kept.has(pathOf(kind)));
  }

  #rebuild(): void {
    // Sorted by key, so the discovery documents do not depend on the order in which kinds were added.
    const added = [...this.#added].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, mounted]) => mounted);
    this.#all = [...this.#fixed, ...added];
    // If several kinds have the same path, a fixed kind takes precedence over added kinds.
    const byPath = new Map([...added, ...this.#fixed].map((resource) => [pathOf(resource.kind), resource]));
    const byPlural = new Map<string, MountedResource[]>();
    for (const mounted of byPath.values()) {
      const others = byPlural.get(mounted.kind.plural);
      if (others === undefined) byPlural.set(mounted.kind.plural, [mounted]);
      else others.push(mounted);
    }
    this.#byPlural = byPlural;
  }
}

const none: readonly MountedResource[] = [];

function pathOf({ group, version, plural }: Pick<ResourceKind, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}
