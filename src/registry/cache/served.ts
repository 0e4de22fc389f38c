import { cloneJson, isJsonObject, type JsonObject, setMember, writeJson } from '@flotilla/json';
import type { KubeObject } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { toPrintedForm } from '../../api/structs/printed-form.ts';
import type { ServedObject, WriteResult } from '../verbs.ts';

/** Serializes the object on the first call of `json` and caches the text. */
class LazyServedObject<Type extends KubeObject> implements ServedObject<Type> {
  readonly object: Type;
  readonly #kind: Pick<ResourceKind, 'builtIn'>;
  #json: string | undefined;

  constructor(kind: Pick<ResourceKind, 'builtIn'>, object: Type) {
    this.object = object;
    this.#kind = kind;
  }

  json(): string {
    this.#json ??= objectJson(this.#kind, this.object);
    return this.#json;
  }
}

/**
 * Returns the JSON of an object. The members of custom resources and management kinds are sorted by name. The members
 * of Kubernetes' built-in kinds have the order of their Go structs (rule DEC-25).
 */
export function objectJson(kind: Pick<ResourceKind, 'builtIn'>, object: KubeObject): string {
  return kind.builtIn === true ? inStructOrder(toPrintedForm(object)) : writeJson(object, { sorted: true });
}

/** Writes `kind` and `apiVersion` first, as Go structs do. The other members keep their order. */
function inStructOrder({ kind, apiVersion, ...rest }: KubeObject): string {
  return writeJson({ kind, apiVersion, ...rest } as KubeObject, { sorted: false });
}

export function toServedObject<Type extends KubeObject>(
  kind: Pick<ResourceKind, 'builtIn'>,
  object: Type,
): ServedObject<Type> {
  return new LazyServedObject(kind, object);
}

/**
 * Returns the object with the values of `reveal` merged into it. Only the response to the write contains these values,
 * for example the key of a new access key.
 */
export function toServedObjectWithReveal(
  kind: Pick<ResourceKind, 'builtIn'>,
  object: KubeObject,
  reveal: JsonObject,
): ServedObject {
  const copy = cloneJson(object);
  mergeInto(copy, reveal);
  return toServedObject(kind, copy);
}

export function toWriteResult(served: ServedObject, created: boolean): WriteResult {
  return new WrittenObject(served, created);
}

/**
 * The result of a write. `object` is a getter that decodes on demand, because decoding is expensive and most responses
 * need only the JSON.
 */
class WrittenObject implements WriteResult {
  readonly created: boolean;
  readonly #served: ServedObject;

  constructor(served: ServedObject, created: boolean) {
    this.#served = served;
    this.created = created;
  }

  get object(): KubeObject {
    return this.#served.object;
  }

  json(): string {
    return this.#served.json();
  }
}

function mergeInto(target: JsonObject, source: JsonObject): void {
  for (const [key, value] of Object.entries(source)) {
    const present = Object.hasOwn(target, key) ? target[key] : undefined;
    if (isJsonObject(value) && isJsonObject(present)) mergeInto(present, value);
    else setMember(target, key, cloneJson(value));
  }
}
