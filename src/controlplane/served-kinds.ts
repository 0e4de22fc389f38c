import type { ResourceKind } from '../api/resource.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';

/** Everything that a plane serves, by path: the kinds that it was opened with and those that come and go. */
export class ServedKinds {
  readonly #fixed: readonly MountedResource[];
  readonly #added = new Map<string, readonly MountedResource[]>();
  #all: readonly MountedResource[] = [];
  /** Hardly two kinds have the same plural. */
  #byPlural: ReadonlyMap<string, readonly MountedResource[]> = new Map();

  constructor(fixed: readonly MountedResource[]) {
    this.#fixed = fixed;
    this.#arrange();
  }

  get all(): readonly MountedResource[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): MountedResource | undefined {
    // Asked several times by each request: to put a path together and look for that takes several times as long.
    for (const mounted of this.#byPlural.get(plural) ?? none) {
      if (mounted.kind.group === group && mounted.kind.version === version) return mounted;
    }
    return undefined;
  }

  /** Puts what is served of these keys in the place of what was; none at all takes them away. */
  replace(changes: ReadonlyMap<string, readonly MountedResource[]>): void {
    for (const [key, mounted] of changes) {
      if (mounted.length === 0) this.#added.delete(key);
      else this.#added.set(key, mounted);
    }
    this.#arrange();
  }

  /** Whether a path that this key serves now is none of those. */
  losesAny(key: string, mounted: readonly MountedResource[]): boolean {
    const kept = new Set(mounted.map(({ kind }) => pathOf(kind)));
    return (this.#added.get(key) ?? []).some(({ kind }) => !kept.has(pathOf(kind)));
  }

  #arrange(): void {
    // In the order of their keys: documents made of this do not depend on what was added first.
    const added = [...this.#added].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, mounted]) => mounted);
    this.#all = [...this.#fixed, ...added];
    // What the plane was opened with is not to be covered by what is added to it, nor what is added by what was before.
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
