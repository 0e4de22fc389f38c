import { getEventListeners, setMaxListeners } from 'node:events';
import { adminsGroup, teamOfGroup, userOfGroup } from '../api/naming.ts';
import { expired, type StatusError } from '../api/status.ts';
import type { UserInfo } from '../api/user-info.ts';
import type { Clock } from '../lib/clock.ts';

/** Whose rights a change touches, by the names of users and teams; `everybody` leaves out nobody but admins. */
export type Affected =
  | 'everybody'
  | { readonly users: ReadonlySet<string>; readonly teams: ReadonlySet<string> }
  | undefined;

/** The signals that end what callers have open when their rights change. */
export interface RightsSignals {
  /** Of this caller, from now on. The caller of this listens on it at once, without waiting in between. */
  of(user: UserInfo, accessKey?: string): AbortSignal;
  /** One that has fired: for whoever comes with rights that are no longer theirs. */
  fired(): AbortSignal;
  /** Ends what these have open. Admins may do everything before and after, and are left alone. */
  changed(affected: Affected): void;
  /** Ends what was opened with this key, admins' too. */
  keyChanged(accessKey: string): void;
  /** How many callers have a signal. */
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
 * Streams may go on for five seconds; this is waited so that a script that adds a hundred members to a project makes
 * everybody in it list again once, and not a hundred times.
 */
const settleMilliseconds = 1_000;
/** So many are kept before is looked which of them nobody listens on any more. */
const firstSweep = 1_024;

/**
 * One signal for each caller that has something open. A change takes the signal away at once and fires it a little
 * later: whatever is opened in between is decided by the new rights already, and is not ended for the old ones.
 */
export function createRightsSignals(clock: Clock): RightsSignals {
  const live = new Map<string, Entry>();
  let ending: AbortController[] = [];
  let cancelTimer: (() => void) | undefined;
  let sweepAt = firstSweep;

  const fire = (): void => {
    cancelTimer = undefined;
    const controllers = ending;
    ending = [];
    const reason = otherRights();
    for (const controller of controllers) controller.abort(reason);
  };

  const end = (isTouched: (entry: Entry) => boolean): void => {
    for (const [key, entry] of live) {
      if (!isTouched(entry)) continue;
      live.delete(key);
      ending.push(entry.controller);
    }
    if (ending.length > 0) cancelTimer ??= clock.after(settleMilliseconds, fire);
  };

  const sweep = (): void => {
    for (const [key, { controller }] of live) {
      if (getEventListeners(controller.signal, 'abort').length === 0) live.delete(key);
    }
    sweepAt = Math.max(firstSweep, 2 * live.size);
  };

  return {
    of(user, accessKey) {
      const key = JSON.stringify([accessKey ?? '', user.name, user.groups]);
      const known = live.get(key);
      if (known !== undefined) return known.controller.signal;
      if (live.size >= sweepAt) sweep();
      const entry = entryOf(user, accessKey);
      setMaxListeners(0, entry.controller.signal);
      live.set(key, entry);
      return entry.controller.signal;
    },

    fired: () => AbortSignal.abort(otherRights()),

    changed(affected) {
      if (affected === undefined) return;
      end((entry) => !entry.isAdmin && touches(affected, entry));
    },

    keyChanged: (accessKey) => end((entry) => entry.accessKey === accessKey),

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

/** The last line of a watch that ends so: clients that keep a copy list again, since what they have is another's view. */
function otherRights(): StatusError {
  return expired('what you may do has changed; list again to see what there is for you now');
}

function entryOf(user: UserInfo, accessKey: string | undefined): Entry {
  const name = user.groups.map(userOfGroup).find((found) => found !== undefined);
  return {
    accessKey,
    isAdmin: user.groups.includes(adminsGroup),
    // Whoever is no user of this server is named as an owner by their own name.
    user: name ?? user.name,
    teams: user.groups.map(teamOfGroup).filter((team) => team !== undefined),
    controller: new AbortController(),
  };
}

function touches(affected: NonNullable<Affected>, { user, teams }: Entry): boolean {
  return affected === 'everybody' || affected.users.has(user) || teams.some((team) => affected.teams.has(team));
}
