import type { JsonObject } from '@flotilla/json';
import type { AnyFields, TypedObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { listAndWatch } from './list-and-watch.ts';
import type { ResourceClient } from './resource-client.ts';

export interface ChangeNotifierOptions<Fields extends JsonObject = AnyFields> {
  readonly resource: ResourceClient<Fields>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called for every object of the kind that was added, modified or deleted. Must not throw. */
  onChange(object: TypedObject<Fields>): void;
  /**
   * Called once at the start, and whenever changes may have been missed. The caller must then assume that any object
   * may have changed. Must not throw.
   */
  onGap(): void;
}

export interface ChangeNotifier {
  /** Resolves after the first list, just before the first watch starts. */
  readonly synced: Promise<void>;
  /** Resolves after the signal has fired and the watch has stopped. */
  readonly done: Promise<void>;
}

/**
 * Watches a kind and reports its changes without a copy of its objects in memory. Intended for kinds with very many
 * objects, if the caller needs only the changes.
 */
export function startChangeNotifier<Fields extends JsonObject>(options: ChangeNotifierOptions<Fields>): ChangeNotifier {
  const { resource, clock, log, signal, onChange, onGap } = options;
  let markSynced: () => void = () => {};
  const synced = new Promise<void>((resolve) => {
    markSynced = resolve;
  });

  async function begin(): Promise<string> {
    // Only the resource version of this list is needed, so one item is enough.
    const { resourceVersion } = await resource.list({ limit: 1, signal });
    onGap();
    markSynced();
    return resourceVersion;
  }

  return { synced, done: listAndWatch({ resource, clock, log, signal, relist: begin, apply: onChange }) };
}
