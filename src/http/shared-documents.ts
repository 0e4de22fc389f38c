import { createHash } from 'node:crypto';
import type { MountedResource } from '../registry/mounted-resource.ts';
import type { Document } from './document.ts';
import type { Plane } from './plane.ts';

/** Kept also while no plane is loaded that uses them: those of the usual set of kinds, and of a few others. */
const mostKept = 12;

/** Parts whose texts are kept: as many as a client asks for that walks through the groups of a large operator. */
const mostPartsKept = 64;

/** Parts whose hashes are known: of all group versions of a hundred planes with definitions of their own. */
const mostParts = 10_000;

/** A document about some of the kinds. Its text is made again where it was forgotten; the hash is known for longer. */
export interface Part {
  readonly hash: string;
  document(): Document;
}

/**
 * What is made of a set of kinds, made once for all planes that serve the same ones: the documents of a plane take more
 * memory than most planes do. Kept while a loaded plane has asked for it, and the latest for longer.
 */
export class SharedDocuments {
  readonly #made = new Map<string, WeakRef<object>>();
  readonly #kept = new Map<string, object>();
  readonly #parts = new Map<string, { readonly hash: string; readonly text: WeakRef<Document> }>();
  readonly #keptParts = new Map<string, Document>();
  readonly #signatures = new WeakMap<Plane, { readonly generation: number; readonly signature: string }>();

  /** `what` names what is made, and all that it is made of besides the kinds. */
  of<T extends object>(plane: Plane, what: string, make: (resources: readonly MountedResource[]) => T): T {
    const key = `${what} ${this.#signatureOf(plane)}`;
    const made = (this.#made.get(key)?.deref() as T | undefined) ?? make(plane.resources());
    this.#made.set(key, new WeakRef(made));
    this.#keep(key, made);
    return made;
  }

  /** What is made of these kinds alone: other kinds of their planes may come and go. */
  part(what: string, resources: readonly MountedResource[], make: () => Document): Part {
    const key = `${what} ${digest(resources.map(mountedText).join('\n'))}`;
    const document = () => {
      const found = this.#parts.get(key)?.text.deref() ?? make();
      this.#keepPart(key, found);
      return found;
    };
    return { hash: this.#parts.get(key)?.hash ?? document().hash, document };
  }

  #keepPart(key: string, document: Document): void {
    this.#parts.delete(key);
    this.#parts.set(key, { hash: document.hash, text: new WeakRef(document) });
    dropOldest(this.#parts, mostParts);
    this.#keptParts.delete(key);
    this.#keptParts.set(key, document);
    dropOldest(this.#keptParts, mostPartsKept);
  }

  #keep(key: string, made: object): void {
    this.#kept.delete(key);
    this.#kept.set(key, made);
    if (this.#kept.size <= mostKept) return;
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined) this.#kept.delete(oldest);
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

/** What is put in last stays longest. */
function dropOldest(entries: Map<string, unknown>, most: number): void {
  const [oldest] = entries.keys();
  if (entries.size > most && oldest !== undefined) entries.delete(oldest);
}

const mountedTexts = new WeakMap<MountedResource, string>();

/** All that documents can tell of it. */
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

/** Functions are behaviour, which no document tells; what they close over differs from plane to plane. */
function kindText(kind: object): string {
  const members = Object.entries(kind).filter(([name, value]) => name !== 'columns' && typeof value !== 'function');
  const texts = members.map(
    ([name, value]) => `${name}=${typeof value === 'object' ? contentOf(value) : String(value)}`,
  );
  return texts.sort().join(';');
}

const contents = new WeakMap<object, string>();

/** Schemas are as a rule the same object in every plane, so this costs something only once. */
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
