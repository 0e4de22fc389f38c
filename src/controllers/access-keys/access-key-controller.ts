import { accessKeyExpiry, accessKeyPhase, expiryReminder } from '../../api/management/access-key-expiry.ts';
import type { AccessKey, accessKeyKind } from '../../api/management/v1/access-key.ts';
import type { teamKind } from '../../api/management/v1/team.ts';
import type { userKind } from '../../api/management/v1/user.ts';
import { timestamp } from '../../api/meta.ts';
import type { FieldsOf } from '../../api/resource.ts';
import type { ResourceClient } from '../../client/resource-client.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { createEventRecorder } from '../instances/event-recorder.ts';
import { type ReconcileResult, type RunningController, startController } from '../runtime/controller.ts';
import type { ControllerObserver } from '../runtime/controller-observer.ts';
import { ignoreNotFound } from '../runtime/ignore-not-found.ts';
import type { WorkShare } from '../runtime/work-share.ts';

export interface AccessKeyControllerOptions {
  readonly accessKeys: ResourceClient<FieldsOf<typeof accessKeyKind>>;
  readonly users: ResourceClient<FieldsOf<typeof userKind>>;
  readonly teams: ResourceClient<FieldsOf<typeof teamKind>>;
  readonly events: ResourceClient;
  /**
   * Returns the keeper of a team's key, which is the member on whom the key depends; `undefined` if the key depends on
   * no member.
   */
  keeperOf(key: AccessKey): string | undefined;
  /**
   * Returns the reason why a team's key has lost its keeper (the member on whom the key depends); `undefined` if the
   * key has not lost its keeper.
   */
  lostKeeperReason(key: AccessKey): string | undefined;
  /** Returns the namespaces in which events about the key are written: the namespaces of some projects of its owner. */
  namespacesOf(key: AccessKey): readonly string[];
  readonly settings: { readonly teamKeysFollowMaker: boolean; readonly teamKeyGraceSeconds: number };
  /** The keys that this process reconciles. Optional; defaults to all. */
  readonly share?: WorkShare | undefined;
  readonly observer?: ControllerObserver | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Returns the queue key that represents a user or team. The queue also contains names of access keys. Such names
 * contain no slash, so they cannot equal this key.
 */
const userKey = (name = '') => `user/${name}`;
const teamKey = (name = '') => `team/${name}`;
/**
 * The time between two reports of a key that expires soon, in milliseconds. Events are deleted an hour after their last
 * write, so this shorter period keeps the event visible.
 */
const reminderPeriod = 50 * 60 * 1000;

/**
 * Disables keys of teams that have lost their keeper (the member on whom the key depends), after a grace period that
 * the status of the key announces. Reminds users and teams of keys that expire soon.
 */
export function startAccessKeyController(options: AccessKeyControllerOptions): RunningController {
  const { accessKeys, users, teams, events, share, clock, log } = options;
  const recorder = createEventRecorder({ events, component: 'flotilla', clock, log });
  const dependents = new DependentKeys();
  const controller = startController({
    name: 'access-keys',
    share,
    observer: options.observer,
    clock,
    log,
    sources: [{ resource: accessKeys, keys: (key) => [key.metadata.name ?? ''] }],
    uncachedSources: [
      { resource: users, keys: (user) => [userKey(user.metadata.name)] },
      { resource: teams, keys: (team) => [teamKey(team.metadata.name)] },
    ],
    async reconcile(name, [informer], signal) {
      if (!name.includes('/')) {
        const key = informer.get('', name);
        const keeper = key === undefined ? undefined : options.keeperOf(key);
        dependents.set(name, keeper === undefined ? [] : [userKey(keeper), teamKey(key?.spec?.team)]);
        return key === undefined ? undefined : await reconcileKey(key, signal);
      }
      for (const dependent of dependents.of(name)) {
        const key = informer.get('', dependent);
        if (key !== undefined) await followKeeper(key, signal);
      }
      return undefined;
    },
  });

  /**
   * Records an event about the key in the projects of the key's owner. If the owner has no project, users see the
   * problem only in lists of access keys.
   */
  function report(key: AccessKey, reason: string, message: string): void {
    for (const namespace of options.namespacesOf(key)) {
      recorder.record({ ...key, metadata: { ...key.metadata, namespace } }, 'Warning', reason, message);
    }
  }

  async function reconcileKey(key: AccessKey, signal: AbortSignal): Promise<ReconcileResult> {
    const waits = [await followKeeper(key, signal), remind(key)].filter((wait) => wait !== undefined);
    return waits.length === 0 ? undefined : { requeueAfterMilliseconds: Math.max(1000, Math.min(...waits)) };
  }

  /**
   * Checks the keeper of a key (the member on whom the key depends). If the key has lost its keeper, announces that the
   * key will be disabled, and later disables it. Otherwise withdraws the announcement. Returns the milliseconds until
   * the next check.
   */
  async function followKeeper(key: AccessKey, signal: AbortSignal): Promise<number | undefined> {
    const name = key.metadata.name ?? '';
    const { disableAt = '', message = '' } = key.status ?? {};
    const reason = options.settings.teamKeysFollowMaker ? options.lostKeeperReason(key) : undefined;
    if (reason === undefined) {
      const status = { disableAt: null, message: null };
      if (disableAt !== '' || message !== '')
        await ignoreNotFound(accessKeys.patchStatus({ name }, { status }, { signal }));
      return undefined;
    }
    if (key.spec?.disabled === true) return undefined;
    const now = clock.now();
    const end = disableAt === '' ? now + options.settings.teamKeyGraceSeconds * 1000 : Date.parse(disableAt);
    if (disableAt === '') {
      const text = `disabled at ${timestamp(end)}, because ${reason}; to keep the key, a member of the team must replace its value`;
      await ignoreNotFound(
        accessKeys.patchStatus({ name }, { status: { disableAt: timestamp(end), message: text } }, { signal }),
      );
      report(key, 'CreatorLeft', `access key of team "${key.spec?.team}" will be ${text}`);
    }
    if (end > now) return end - now;
    await ignoreNotFound(accessKeys.patch({ name }, { spec: { disabled: true } }, { signal }));
    report(key, 'Disabled', `access key of team "${key.spec?.team}" was disabled, because ${reason}`);
    return undefined;
  }

  /** Reports a key that expires soon, in one event per project. Returns the milliseconds until the next reminder. */
  function remind(key: AccessKey): number | undefined {
    const reminder = expiryReminderOf(key, clock.now());
    if (reminder?.message !== undefined) report(key, 'ExpiresSoon', reminder.message);
    return reminder?.nextMilliseconds;
  }

  return {
    synced: controller.synced,
    async stop() {
      await controller.stop();
      await recorder.stop();
    },
  };
}

interface Reminder {
  /** The message of the reminder that is due. Absent if none is due yet. */
  readonly message?: string;
  /** The time until the next check. */
  readonly nextMilliseconds: number;
}

/** Returns the reminder of a key that expires; `undefined` if no reminder is needed. */
function expiryReminderOf(key: AccessKey, now: number): Reminder | undefined {
  const end = accessKeyExpiry(key);
  if (end === undefined || key.spec?.type === 'Login' || accessKeyPhase(key, now) !== 'Active') return undefined;
  if (end - now > expiryReminder) return { nextMilliseconds: end - now - expiryReminder };
  const period = end - Date.parse(key.metadata.creationTimestamp ?? '');
  // A key with such a short lifetime was created to expire soon, so no reminder is needed.
  if (period <= expiryReminder) return undefined;
  return {
    message: `access key expires at ${timestamp(end)}; rotate or replace it`,
    nextMilliseconds: Math.min(reminderPeriod, end - now),
  };
}

/**
 * Maps each user and team to the access keys that depend on it. A change of a user thus needs no scan of all access
 * keys.
 */
class DependentKeys {
  readonly #names = new Map<string, Set<string>>();
  readonly #causes = new Map<string, readonly string[]>();

  set(name: string, causes: readonly string[]): void {
    for (const cause of this.#causes.get(name) ?? []) this.#names.get(cause)?.delete(name);
    if (causes.length === 0) this.#causes.delete(name);
    else this.#causes.set(name, causes);
    for (const cause of causes) {
      const names = this.#names.get(cause) ?? new Set();
      this.#names.set(cause, names.add(name));
    }
  }

  of(cause: string): readonly string[] {
    const names = this.#names.get(cause);
    if (names?.size === 0) this.#names.delete(cause);
    return [...(names ?? [])];
  }
}
