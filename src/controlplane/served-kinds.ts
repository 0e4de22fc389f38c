import type { ResourceKind } from '../api/resource.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';

/** All resources that a plane serves, by path: the kinds it was opened with, and kinds added later. */
export class ServedKinds {
  readonly #fixed: readonly MountedResource[];
  readonly #added = new Map<string, readonly MountedResource[]>();
  #all: readonly MountedResource[] = [];
  /** Indexed by plural, because two kinds rarely share one. */
  #byPlural: ReadonlyMap<string, readonly MountedResource[]> = new Map();

  constructor(fixed: readonly MountedResource[]) {
    this.#fixed = fixed;
    this.#rebuild();
  }

  get all(): readonly MountedResource[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): MountedResource | undefined {
    // Called several times per request: building a path string and looking that up takes several times as long.
    for (const mounted of this.#byPlural.get(plural) ?? none) {
      if (mounted.kind.group === group && mounted.kind.version === version) return mounted;
    }
    return undefined;
  }

  /** Replaces the served resources of these keys; an empty list removes a key. */
  replace(changes: ReadonlyMap<string, readonly MountedResource[]>): void {
    for (const [key, mounted] of changes) {
      if (mounted.length === 0) this.#added.delete(key);
      else this.#added.set(key, mounted);
    }
    this.#rebuild();
  }

  /** Reports whether this key currently serves a path that is missing in `mounted`. */
  removesPath(key: string, mounted: readonly MountedResource[]): boolean {
    const kept = new Set(mounted.map(({ kind }) => pathOf(kind)));
    return (this.#added.get(key) ?? []).some(({ kind }) => !kept.has(pathOf(kind)));
  }

  #rebuild(): void {
    // Sorted by key, so that documents built from this list do not depend on the order of additions.
    const added = [...this.#added].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, mounted]) => mounted);
    this.#all = [...this.#fixed, ...added];
    // Kinds that the plane was opened with take precedence over added kinds, and later keys over earlier ones.
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
