import type { WatchLogEntry } from './watch-log.ts';
import type { Writers } from './writers.ts';

/**
 * Replays a log that starts from an empty collection. Returns the version of each object that exists at the end. Throws
 * on an event that contradicts the state at that point.
 */
export function replayLog(log: readonly WatchLogEntry[]): Map<string, number> {
  const current = new Map<string, WatchLogEntry>();
  for (const event of log) {
    const before = current.get(event.name);
    if ((before === undefined) !== (event.type === 'ADDED'))
      throw new Error(`unexpected event: ${JSON.stringify(event)}`);
    if (before !== undefined && before.uid !== event.uid)
      throw new Error(`event for another uid: ${JSON.stringify(event)}`);
    if (event.type === 'DELETED') current.delete(event.name);
    else current.set(event.name, event);
  }
  return new Map([...current].map(([name, { version }]) => [name, version]));
}

/** Returns the acknowledged writes that are missing from the log, and the logged events that no writer caused. */
export function unaccountedWrites(log: readonly WatchLogEntry[], writers: Writers): string[] {
  const written = new Map(writers.written);
  const deleted = new Set(writers.deleted);
  const strange: string[] = [];
  for (const { type, name, uid, version } of log) {
    const isKnown = type === 'DELETED' ? deleted.delete(uid) : written.get(version) === uid && written.delete(version);
    if (!isKnown) strange.push(`${type} ${name} at ${version}`);
  }
  return [...strange, ...[...written.keys()].map((version) => `write ${version}`), ...deleted];
}

/**
 * Returns the events of an informer that violate the watch contract. The informer may have missed events, because it
 * had to relist, and it reports only the last of several missed changes. But every event that it reports must have
 * happened, and the versions of one object name must never go back.
 */
export function informerViolations(told: readonly WatchLogEntry[], log: readonly WatchLogEntry[]): string[] {
  const happened = new Map(log.map(({ version, name }) => [version, name]));
  const reached = new Map<string, number>();
  return told.flatMap((event) => {
    const last = reached.get(event.name) ?? 0;
    reached.set(event.name, event.version);
    const isLater = event.version > last || (event.version === last && event.type === 'DELETED');
    return isLater && happened.get(event.version) === event.name ? [] : [JSON.stringify(event)];
  });
}
