import { createHash } from 'node:crypto';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { Plane } from '../plane.ts';
import type { ApiDocument } from './api-document.ts';

/** Documents retained while no loaded plane uses them: those of the usual set of kinds, and of a few others. */
const maxRetained = 12;

/** Retained texts of parts: enough for a client that walks through the groups of a large operator. */
const maxRetainedParts = 64;

/** Retained hashes of parts: enough for all group versions of a hundred planes with their own definitions. */
const maxPartHashes = 10_000;

/** A document about some of the kinds. Its text is regenerated after eviction; its hash is retained for longer. */
export interface DocumentPart {
  readonly hash: string;
  document(): ApiDocument;
}

/**
 * Documents derived from a set of kinds, created once for all planes that serve the same kinds: the documents of a
 * plane take more memory than most planes do. They are retained while a loaded plane uses them, the most recent for
 * longer.
 */
export class SharedDocuments {
  readonly #made = new Map<string, WeakRef<object>>();
  readonly #retained = new Map<string, object>();
  readonly #parts = new Map<string, { readonly hash: string; readonly text: WeakRef<ApiDocument> }>();
  readonly #retainedParts = new Map<string, ApiDocument>();
  readonly #signatures = new WeakMap<Plane, { readonly generation: number; readonly signature: string }>();

  /** `name` identifies the document and all of its inputs other than the kinds. */
  getOrCreate<T extends object>(plane: Plane, name: string, make: (resources: readonly MountedResource[]) => T): T {
    const key = `${name} ${this.#signatureOf(plane)}`;
    const made = (this.#made.get(key)?.deref() as T | undefined) ?? make(plane.resources());
    this.#made.set(key, new WeakRef(made));
    this.#retain(key, made);
    return made;
  }

  /** Returns a document that depends only on these kinds, and stays valid when other kinds of the plane change. */
  part(name: string, resources: readonly MountedResource[], make: () => ApiDocument): DocumentPart {
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

/** Derives a value from a plane's kinds on first use, and again when the set of kinds has changed. */
export function perGeneration<T extends object>(
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

/** Evicts the oldest entry beyond the limit. */
function dropOldest(entries: Map<string, unknown>, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

const mountedTexts = new WeakMap<MountedResource, string>();

/** Everything about a resource that documents can contain. */
function mountedText(resource: MountedResource): string {
  const text = mountedTexts.get(resource) ?? textOf(resource);
  mountedTexts.set(resource, text);
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

/** Omits functions: documents do not contain them, and their closures differ from plane to plane. */
function kindText(kind: object): string {
  const members = Object.entries(kind).filter(([name, value]) => name !== 'columns' && typeof value !== 'function');
  const texts = members.map(
    ([name, value]) => `${name}=${typeof value === 'object' ? contentOf(value) : String(value)}`,
  );
  return texts.sort().join(';');
}

const contents = new WeakMap<object, string>();

/** Schemas are usually the same object in every plane, so this is computed once. */
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
