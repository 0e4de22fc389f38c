import type { JsonObject } from '@flotilla/json';
import type { TypedObject } from '../api/meta.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { listAndWatch } from './list-and-watch.ts';
import type { ResourceClient } from './resource-client.ts';

export interface ChangeNotifierOptions<Fields extends JsonObject = JsonObject> {
  readonly resource: ResourceClient<Fields>;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Called for every object that was added, modified or deleted. Must not throw. */
  onChange(object: TypedObject<Fields>): void;
  /** Called when changes may have been missed, and once at the start: anything may have changed. Must not throw. */
  onGap(): void;
}

export interface ChangeNotifier {
  /** Resolves when the first watch is about to start. */
  readonly synced: Promise<void>;
  /** Settles when the signal has fired and all work has stopped. */
  readonly done: Promise<void>;
}

/**
 * Reports the changes of a kind without keeping a copy of it, for kinds with very many objects of which only the
 * changes matter.
 */
export function startChangeNotifier<Fields extends JsonObject>(options: ChangeNotifierOptions<Fields>): ChangeNotifier {
  const { resource, clock, log, signal, onChange, onGap } = options;
  let markSynced: () => void = () => {};
  const synced = new Promise<void>((resolve) => {
    markSynced = resolve;
  });

  async function begin(): Promise<string> {
    // Any list returns the current resource version of the kind, however few items it contains.
    const { resourceVersion } = await resource.list({ limit: 1, signal });
    onGap();
    markSynced();
    return resourceVersion;
  }

  return { synced, done: listAndWatch({ resource, clock, log, signal, relist: begin, apply: onChange }) };
}
