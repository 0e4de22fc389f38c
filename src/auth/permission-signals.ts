import { getEventListeners, setMaxListeners } from 'node:events';
import { adminsGroup, teamOfGroup, userOfGroup } from '../api/naming.ts';
import { expired, type StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Clock } from '../lib/clock.ts';

/** The users and teams whose permissions a change affects, by name. `everybody` means everybody except admins. */
export type AffectedPrincipals =
  | 'everybody'
  | { readonly users: ReadonlySet<string>; readonly teams: ReadonlySet<string> }
  | undefined;

/** Signals that end long-running requests when the permissions of their callers change. */
export interface PermissionSignals {
  /** Returns the signal of this caller, valid for changes from now on. Add a listener in the same tick. */
  signalFor(user: UserInfo, accessKey?: string): AbortSignal;
  /** Returns a signal that has fired, for a caller whose permissions have already changed. */
  firedSignal(): AbortSignal;
  /** Ends the streams of these callers. Admins are not affected: they may do everything before and after. */
  notifyPrincipals(affected: AffectedPrincipals): void;
  /** Ends all streams that were opened with this key, including those of admins. */
  notifyKey(accessKey: string): void;
  /** The number of callers that have a signal. */
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
 * The debounce before streams end, well below the five seconds that they may continue. A script that adds a hundred
 * members to a project makes all of its members list again once instead of a hundred times.
 */
const debounceMilliseconds = 1_000;
/** The number of signals above which those without listeners are removed. */
const sweepThreshold = 1_024;

/**
 * Creates one signal for each caller that has an open stream. A change removes the signal at once and fires it a little
 * later: a stream opened in between is authorized with the new permissions already and must not end.
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

/** The last event of a watch that ends this way. A client with a cache must list again, since its view is outdated. */
function permissionsChanged(): StatusError {
  return expired('your permissions have changed; list again to see the objects that you can access now');
}

function entryOf(user: UserInfo, accessKey: string | undefined): Entry {
  const name = user.groups.map(userOfGroup).find((found) => found !== undefined);
  return {
    accessKey,
    isAdmin: user.groups.includes(adminsGroup),
    // A caller that is not a user of this server is recorded as owner under its own name.
    user: name ?? user.name,
    teams: user.groups.map(teamOfGroup).filter((team) => team !== undefined),
    controller: new AbortController(),
  };
}

function affects(affected: NonNullable<AffectedPrincipals>, { user, teams }: Entry): boolean {
  return affected === 'everybody' || affected.users.has(user) || teams.some((team) => affected.teams.has(team));
}
