import type { ResourceKind } from '../api/resource.ts';
import type { MountedResource } from '../registry/mounted-resource.ts';

/** Everything that a plane serves, by path: the kinds that it was opened with and those that come and go. */
export class ServedKinds {
  readonly #fixed: readonly MountedResource[];
  readonly #added = new Map<string, readonly MountedResource[]>();
  #all: readonly MountedResource[] = [];
  #byPath: ReadonlyMap<string, MountedResource> = new Map();

  constructor(fixed: readonly MountedResource[]) {
    this.#fixed = fixed;
    this.#arrange();
  }

  get all(): readonly MountedResource[] {
    return this.#all;
  }

  find(group: string, version: string, plural: string): MountedResource | undefined {
    return this.#byPath.get(pathOf({ group, version, plural }));
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
    // What the plane was opened with is not to be covered by what is added to it.
    this.#byPath = new Map([...added, ...this.#fixed].map((resource) => [pathOf(resource.kind), resource]));
  }
}

function pathOf({ group, version, plural }: Pick<ResourceKind, 'group' | 'version' | 'plural'>): string {
  return `${group}/${version}/${plural}`;
}
