import type { Entry } from './watch-log.ts';
import type { Writers } from './writers.ts';

/**
 * Follows a log that began with nothing there. Throws for an event that cannot follow from what was there before; gives
 * the version of everything that is there at the end.
 */
export function followed(log: readonly Entry[]): Map<string, number> {
  const current = new Map<string, Entry>();
  for (const event of log) {
    const before = current.get(event.name);
    if ((before === undefined) !== (event.type === 'ADDED')) throw new Error(`out of place: ${JSON.stringify(event)}`);
    if (before !== undefined && before.uid !== event.uid) throw new Error(`of another: ${JSON.stringify(event)}`);
    if (event.type === 'DELETED') current.delete(event.name);
    else current.set(event.name, event);
  }
  return new Map([...current].map(([name, { version }]) => [name, version]));
}

/** What was acknowledged and is not in the log, and what is in the log and nobody has written. */
export function unaccounted(log: readonly Entry[], writers: Writers): string[] {
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
 * What is wrong with what an informer told that had to list anew, and so may have left something out: whatever it tells
 * has happened, and of no name does it go back in time. Of what went unseen it has only the last version.
 */
export function misinformed(told: readonly Entry[], log: readonly Entry[]): string[] {
  const happened = new Map(log.map(({ version, name }) => [version, name]));
  const reached = new Map<string, number>();
  return told.flatMap((event) => {
    const last = reached.get(event.name) ?? 0;
    reached.set(event.name, event.version);
    const isLater = event.version > last || (event.version === last && event.type === 'DELETED');
    return isLater && happened.get(event.version) === event.name ? [] : [JSON.stringify(event)];
  });
}
