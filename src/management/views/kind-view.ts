import { isJsonObject, type JsonValue } from '@flotilla/json';
import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { qualifiedResource, type Status, StatusError } from '../../api/status.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { DeleteResult, Patch, ServedObject, WatchEvent, WatchStream } from '../../registry/verbs.ts';
import { streamMapper } from '../../registry/watch/mapped-stream.ts';

/** Serves the objects of a stored kind as objects of another kind, the shown kind, in the same group and version. */
export interface KindView {
  /** Converts an object from the stored kind to the shown kind. Cached per version of the object. */
  toShown(served: ServedObject): ServedObject;
  toShownEvents(stream: WatchStream): WatchStream;
  toShownDeleted(deleted: DeleteResult): DeleteResult;
  /** Converts an object in a request from the shown kind to the stored kind. */
  toStored(object: KubeObject): KubeObject;
  toStoredPatch(patch: Patch): Patch;
  /** Runs `call`. If `call` fails, replaces the stored kind in the error with the shown kind. */
  withShownErrors<T>(call: () => Promise<T>): Promise<T>;
}

export function kindView(stored: ResourceKind, shown: ResourceKind): KindView {
  const cache = new WeakMap<ServedObject, ServedObject>();

  function outward(served: ServedObject): ServedObject {
    const cached = cache.get(served);
    if (cached !== undefined) return cached;
    const converted = toServedObject(shown, { ...served.object, kind: shown.kind });
    cache.set(served, converted);
    return converted;
  }

  function outwardStatus(status: Status): Status {
    return {
      ...status,
      ...(status.message === undefined ? {} : { message: renamed(status.message) }),
      ...(status.details === undefined ? {} : { details: { ...status.details, ...renamedKind(status.details.kind) } }),
    };
  }

  const names: readonly (readonly [RegExp, string])[] = [
    [wholeName(qualifiedResource(groupResourceOf(stored))), qualifiedResource(groupResourceOf(shown))],
    [wholeName(`${stored.kind}.${stored.group}`), `${shown.kind}.${shown.group}`],
    [wholeName(`${apiVersionOf(stored)}, Kind=${stored.kind}`), `${apiVersionOf(shown)}, Kind=${shown.kind}`],
  ];

  /**
   * Replaces the stored kind in a message. Only the first match is replaced, because later text can come from the
   * client.
   */
  function renamed(message: string): string {
    let text = message;
    for (const [from, to] of names) text = text.replace(from, () => to);
    return text;
  }

  function renamedKind(kind: string | undefined): { kind?: string } {
    if (kind === stored.plural) return { kind: shown.plural };
    return kind === stored.kind ? { kind: shown.kind } : {};
  }

  const inwardValue = (value: JsonValue): JsonValue =>
    isJsonObject(value) && value.kind === shown.kind ? { ...value, kind: stored.kind } : value;

  return {
    toShown: outward,
    toShownEvents: streamMapper(outwardEvent),
    toShownDeleted: (deleted) =>
      'gone' in deleted ? { gone: outwardStatus(deleted.gone) } : { pending: outward(deleted.pending) },
    toStored: (object) => ({ ...object, kind: stored.kind }),
    toStoredPatch(patch) {
      if (patch.type === 'apply') return { ...patch, object: inwardValue(patch.object) };
      if (patch.type !== 'json') return { ...patch, document: inwardValue(patch.document) };
      if (!Array.isArray(patch.operations)) return patch;
      return { ...patch, operations: patch.operations.map(toStoredOperation) };
    },
    async withShownErrors(call) {
      try {
        return await call();
      } catch (error) {
        throw error instanceof StatusError ? new StatusError(outwardStatus(error.status)) : error;
      }
    },
  };

  function outwardEvent(event: WatchEvent): WatchEvent {
    if (event.type === 'BOOKMARK') return event;
    if (event.type === 'ERROR') return { ...event, status: outwardStatus(event.status) };
    return { ...event, object: outward(event.object) };
  }

  /**
   * Converts a JSON patch operation on `/kind` whose value is the shown kind to the stored kind. Returns other
   * operations unchanged.
   */
  function toStoredOperation(operation: JsonValue): JsonValue {
    const touchesKind = isJsonObject(operation) && operation.path === '/kind' && operation.value === shown.kind;
    return touchesKind ? { ...operation, value: stored.kind } : operation;
  }
}

/**
 * Returns a regular expression that matches `name` as a whole name. The lookbehind skips names of the shown kind, which
 * may end in the stored name.
 */
function wholeName(name: string): RegExp {
  return new RegExp(`(?<![A-Za-z])${name.replaceAll('.', '\\.')}`);
}
