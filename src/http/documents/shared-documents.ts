import { createHash } from 'node:crypto';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { Plane } from '../plane.ts';
import type { ApiDocument } from './api-document.ts';

/** Number of cached values to retain even if no loaded plane uses them: enough for the most common sets of kinds. */
const maxRetained = 12;

/** Number of partial documents to retain: enough for a client that reads all API groups of a large operator. */
const maxRetainedParts = 64;

/** Number of hashes of partial documents to retain: enough for a hundred planes with their own custom resources. */
const maxPartHashes = 10_000;

/**
 * A document about some of a plane's kinds, such as the OpenAPI document of one group version. The cache may evict the
 * document and create it again, but it retains the hash of the document for longer.
 */
export interface PartialDocument {
  readonly hash: string;
  document(): ApiDocument;
}

/**
 * A cache of documents that depend only on the kinds of a plane. Planes with the same kinds share a document, because
 * documents take more memory than most planes. A document is retained as long as a loaded plane uses it. The most
 * recently used documents are retained even if no plane uses them.
 */
export class SharedDocuments {
  readonly #made = new Map<string, WeakRef<object>>();
  readonly #retained = new Map<string, object>();
  readonly #parts = new Map<string, { readonly hash: string; readonly text: WeakRef<ApiDocument> }>();
  readonly #retainedParts = new Map<string, ApiDocument>();
  readonly #signatures = new WeakMap<Plane, { readonly generation: number; readonly signature: string }>();

  /**
   * Returns the cached result of `make` for the plane's kinds, or calls `make` and caches its result. `name` identifies
   * the result and all of its inputs other than the kinds.
   */
  getOrCreate<T extends object>(plane: Plane, name: string, make: (resources: readonly MountedResource[]) => T): T {
    const key = `${name} ${this.#signatureOf(plane)}`;
    const made = (this.#made.get(key)?.deref() as T | undefined) ?? make(plane.resources());
    this.#made.set(key, new WeakRef(made));
    this.#retain(key, made);
    return made;
  }

  /** Returns a partial document about the given kinds. Changes to other kinds of the plane do not invalidate it. */
  partialDocument(name: string, resources: readonly MountedResource[], make: () => ApiDocument): PartialDocument {
    const key = `${name} ${digest(resources.map(mountedText).join('\n'))}`;
    const document = () => {
      const found = this.#parts.get(key)?.text.deref() ?? make();
      this.#retainPart(key, found);
      return found;
    };
    return { hash: this.#parts.get(key)?.hash ?? document().hash, document };
  }

  #retainPart(key: string, document: ApiDocument): void {
    this.#parts.delete(key);
    this.#parts.set(key, { hash: document.hash, text: new WeakRef(document) });
    dropOldest(this.#parts, maxPartHashes);
    this.#retainedParts.delete(key);
    this.#retainedParts.set(key, document);
    dropOldest(this.#retainedParts, maxRetainedParts);
  }

  #retain(key: string, made: object): void {
    this.#retained.delete(key);
    this.#retained.set(key, made);
    if (this.#retained.size <= maxRetained) return;
    const [oldest] = this.#retained.keys();
    if (oldest !== undefined) this.#retained.delete(oldest);
    for (const [forgotten, reference] of this.#made) {
      if (reference.deref() === undefined) this.#made.delete(forgotten);
    }
  }

  #signatureOf(plane: Plane): string {
    const known = this.#signatures.get(plane);
    if (known?.generation === plane.generation) return known.signature;
    const signature = digest(plane.resources().map(mountedText).join('\n'));
    this.#signatures.set(plane, { generation: plane.generation, signature });
    return signature;
  }
}

/** Returns a function that computes a value from a plane's kinds on first use, and again after the kinds changed. */
export function cachedPerGeneration<T extends object>(
  plane: Plane,
  shared: SharedDocuments,
  name: string,
  make: (resources: readonly MountedResource[]) => T,
): () => T {
  let cached: { readonly generation: number; readonly value: T } | undefined;
  return () => {
    if (cached?.generation !== plane.generation) {
      cached = { generation: plane.generation, value: shared.getOrCreate(plane, name, make) };
    }
    return cached.value;
  };
}

/** Removes the oldest entry if the map has more than `most` entries. */
function dropOldest(entries: Map<string, unknown>, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

const mountedTexts = new WeakMap<object, string>();

/** Serializes everything about a resource that a document can depend on, for use in cache keys. */
function mountedText(resource: MountedResource): string {
  const key = resource.documentKey ?? resource;
  const text = mountedTexts.get(key) ?? textOf(resource);
  mountedTexts.set(key, text);
  return text;
}

function textOf({ kind, verbs, subresources, unlisted = [] }: MountedResource): string {
  const below = Object.entries(subresources).map(([name, part]) =>
    [name, kindText(part.kind), namesOf(part.verbs), part.connects === true].join(' '),
  );
  return [kindText(kind), namesOf(verbs), unlisted.join(), ...below].join(' ');
}

function namesOf(verbs: object): string {
  return Object.entries(verbs)
    .filter(([, verb]) => verb !== undefined)
    .map(([name]) => name)
    .sort()
    .join();
}

/** Serializes a kind without its functions: documents do not depend on them, and each plane has its own functions. */
function kindText(kind: object): string {
  const members = Object.entries(kind).filter(([name, value]) => name !== 'columns' && typeof value !== 'function');
  const texts = members.map(
    ([name, value]) => `${name}=${typeof value === 'object' ? contentOf(value) : String(value)}`,
  );
  return texts.sort().join(';');
}

const contents = new WeakMap<object, string>();

/** Returns a digest of a schema or other member. Planes usually share these objects, so the digests are cached. */
function contentOf(value: object | null): string {
  if (value === null) return 'null';
  const known = contents.get(value);
  if (known !== undefined) return known;
  const text = digest(JSON.stringify(value, (_name, member) => (typeof member === 'bigint' ? `${member}n` : member)));
  contents.set(value, text);
  return text;
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
