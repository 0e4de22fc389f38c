import { apiVersionOf, type KubeObject } from '../../api/meta.ts';
import { groupResourceOf, type ResourceKind } from '../../api/resource.ts';
import { qualified, type Status, StatusError } from '../../api/status.ts';
import { isJsonObject, type JsonValue } from '../../lib/json-value.ts';
import { streamMapper } from '../../registry/mapped-stream.ts';
import { serve } from '../../registry/served.ts';
import type { Deleted, Patch, Served, WatchEvent, WatchStream } from '../../registry/verbs.ts';

/** The same objects under another kind of the same group and version. */
export interface KindView {
  /** An object of the stored kind as one of the shown kind; made once per version. */
  outward(served: Served): Served;
  outwardEvents(stream: WatchStream): WatchStream;
  outwardDeleted(deleted: Deleted): Deleted;
  /** What a client sent under the shown kind, as the stored kind takes it. */
  inward(object: KubeObject): KubeObject;
  inwardPatch(patch: Patch): Patch;
  /** Runs a call; its errors speak of the shown kind. */
  told<T>(call: () => Promise<T>): Promise<T>;
}

export function kindView(stored: ResourceKind, shown: ResourceKind): KindView {
  const known = new WeakMap<Served, Served>();

  function outward(served: Served): Served {
    const found = known.get(served);
    if (found !== undefined) return found;
    const made = serve(shown, { ...served.object, kind: shown.kind });
    known.set(served, made);
    return made;
  }

  function outwardStatus(status: Status): Status {
    return {
      ...status,
      ...(status.message === undefined ? {} : { message: renamed(status.message) }),
      ...(status.details === undefined ? {} : { details: { ...status.details, ...renamedKind(status.details.kind) } }),
    };
  }

  const names: readonly (readonly [RegExp, string])[] = [
    [wholeName(qualified(groupResourceOf(stored))), qualified(groupResourceOf(shown))],
    [wholeName(`${stored.kind}.${stored.group}`), `${shown.kind}.${shown.group}`],
    [wholeName(`${apiVersionOf(stored)}, Kind=${stored.kind}`), `${apiVersionOf(shown)}, Kind=${shown.kind}`],
  ];

  /** Messages name the kind once, in front of what a client wrote, so the first one is the one. */
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
    outward,
    outwardEvents: streamMapper(outwardEvent),
    outwardDeleted: (deleted) =>
      'gone' in deleted ? { gone: outwardStatus(deleted.gone) } : { pending: outward(deleted.pending) },
    inward: (object) => ({ ...object, kind: stored.kind }),
    inwardPatch(patch) {
      if (patch.type === 'apply') return { ...patch, object: inwardValue(patch.object) };
      if (patch.type !== 'json') return { ...patch, document: inwardValue(patch.document) };
      if (!Array.isArray(patch.operations)) return patch;
      return { ...patch, operations: patch.operations.map(inwardOperation) };
    },
    async told(call) {
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

  /** A test of `/kind`, or a write of the same, means the kind that the client sees. */
  function inwardOperation(operation: JsonValue): JsonValue {
    const touchesKind = isJsonObject(operation) && operation.path === '/kind' && operation.value === shown.kind;
    return touchesKind ? { ...operation, value: stored.kind } : operation;
  }
}

/** The shown name may end in the stored one; what speaks of the shown kind already is left alone. */
function wholeName(name: string): RegExp {
  return new RegExp(`(?<![A-Za-z])${name.replaceAll('.', '\\.')}`);
}
