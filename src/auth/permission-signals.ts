import { getEventListeners, setMaxListeners } from 'node:events';
import { adminsGroup, teamOfGroup, userOfGroup } from '../api/naming.ts';
import { expired, type StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Clock } from '../lib/clock.ts';

/** The users and teams, by name, whose permissions a change affects. `everybody` does not include admins. */
export type AffectedPrincipals =
  | 'everybody'
  | { readonly users: ReadonlySet<string>; readonly teams: ReadonlySet<string> }
  | undefined;

/** Signals that end long-running requests after the permissions of their callers have changed. */
export interface PermissionSignals {
  /**
   * Returns the signal of a caller, which fires for changes after this call. The listener must be added in the same
   * tick.
   */
  signalFor(user: UserInfo, accessKey?: string): AbortSignal;
  /** Returns a signal that has already fired, for a caller whose permissions have already changed. */
  firedSignal(): AbortSignal;
  /**
   * Ends the streams of these users and teams. Streams of admins continue, because admins have all permissions anyway.
   */
  notifyPrincipals(affected: AffectedPrincipals): void;
  /** Ends all streams that were opened with this access key, including streams of admins. */
  notifyKey(accessKey: string): void;
  /** The number of signals that have not fired. */
  readonly size: number;
  close(): void;
}

interface Entry {
  readonly accessKey: string | undefined;
  readonly isAdmin: boolean;
  readonly user: string;
  readonly teams: readonly string[];
  readonly controller: AbortController;
}

/**
 * The delay, in milliseconds, between a change of permissions and the end of the affected streams. It may be at most
 * five seconds. Changes during the delay cause only one new list: without the delay, a script that adds a hundred
 * members to a project would make all members list again a hundred times.
 */
const debounceMilliseconds = 1_000;
/** The number of signals above which signals without listeners are removed. */
const sweepThreshold = 1_024;

/**
 * Creates the registry of permission signals. After a change, the registry replaces the signal of an affected caller at
 * once, and fires the old signal after a delay. A stream that opens during the delay gets the new signal: it is
 * authorized with the new permissions and must not end.
 */
export function createPermissionSignals(clock: Clock): PermissionSignals {
  const live = new Map<string, Entry>();
  let ending: AbortController[] = [];
  let cancelTimer: (() => void) | undefined;
  let sweepAt = sweepThreshold;

  const fire = (): void => {
    cancelTimer = undefined;
    const controllers = ending;
    ending = [];
    const reason = permissionsChanged();
    for (const controller of controllers) controller.abort(reason);
  };

  const end = (isAffected: (entry: Entry) => boolean): void => {
    for (const [key, entry] of live) {
      if (!isAffected(entry)) continue;
      live.delete(key);
      ending.push(entry.controller);
    }
    if (ending.length > 0) cancelTimer ??= clock.after(debounceMilliseconds, fire);
  };

  const sweep = (): void => {
    for (const [key, { controller }] of live) {
      if (getEventListeners(controller.signal, 'abort').length === 0) live.delete(key);
    }
    sweepAt = Math.max(sweepThreshold, 2 * live.size);
  };

  return {
    signalFor(user, accessKey) {
      const key = JSON.stringify([accessKey ?? '', user.name, user.groups]);
      const existing = live.get(key);
      if (existing !== undefined) return existing.controller.signal;
      if (live.size >= sweepAt) sweep();
      const entry = entryOf(user, accessKey);
      setMaxListeners(0, entry.controller.signal);
      live.set(key, entry);
      return entry.controller.signal;
    },

    firedSignal: () => AbortSignal.abort(permissionsChanged()),

    notifyPrincipals(affected) {
      if (affected === undefined) return;
      end((entry) => !entry.isAdmin && affects(affected, entry));
    },

    notifyKey: (accessKey) => end((entry) => entry.accessKey === accessKey),

    get size() {
      return live.size;
    },

    close() {
      cancelTimer?.();
      live.clear();
      ending = [];
    },
  };
}

/**
 * The last event of a watch after a change of permissions. The client must list again, because its cache is outdated.
 */
function permissionsChanged(): StatusError {
  return expired('your permissions have changed; list again to see the objects that you can access now');
}

function entryOf(user: UserInfo, accessKey: string | undefined): Entry {
  const name = user.groups.map(userOfGroup).find((found) => found !== undefined);
  return {
    accessKey,
    isAdmin: user.groups.includes(adminsGroup),
    // A caller that is not a user of this server owns objects under the caller's own name.
    user: name ?? user.name,
    teams: user.groups.map(teamOfGroup).filter((team) => team !== undefined),
    controller: new AbortController(),
  };
}

function affects(affected: NonNullable<AffectedPrincipals>, { user, teams }: Entry): boolean {
  return affected === 'everybody' || affected.users.has(user) || teams.some((team) => affected.teams.has(team));
}
