import { type AccessKey, accessKeyKind } from '../../../../api/management/v1/access-key.ts';
import { isUsableKey } from '../../../../auth/key-state.ts';
import { backoffDelay } from '../../../../lib/backoff.ts';
import { Semaphore } from '../../../../lib/queue/semaphore.ts';
import { keyStateOf } from '../../../../management/access-keys/access-key-state.ts';
import { isLogin, isRefreshKey } from '../../../../management/access-keys/login-keys.ts';
import { storeOf } from '../../../../registry/kind-stores.ts';
import { ConnectorHealth } from './connector-health.ts';
import { IdentityConfirmations } from './identity-confirmations.ts';
import {
  type RefreshOptions,
  type RefreshOutcome,
  type RefreshTenure,
  refreshIdentity,
  retireRefreshKey,
  suspendIdentity,
} from './refresh-identity.ts';
import { auditRefresh, type RefreshCounters, type RefreshResult } from './refresh-report.ts';

export interface IdentityRefresherOptions extends RefreshOptions {
  readonly counters: RefreshCounters;
  /** Returns a number from 0 to 1. Optional; defaults to `Math.random`. */
  readonly random?: () => number;
}

/** Maximum number of concurrent refreshes per connector. */
const concurrentRefreshes = 8;
/**
 * The refresh interval for the identities of users without a valid key. It is long because nobody uses the permissions
 * of these users.
 */
const idleMilliseconds = 60 * 60_000;
/** The time since the last sign-in after which the refresh token is removed if the user has no valid key. */
const keptMilliseconds = 30 * 24 * 60 * 60_000;
const retryBackoff = { initialMilliseconds: 30_000, maxMilliseconds: 15 * 60_000 };
/** The time after the recorded start of a refresh during which another server may still be using the refresh token. */
const inUseMilliseconds = 60_000;
/** Maximum time that a stopping server waits for refreshes in progress. An interrupted refresh may lose its token. */
const drainMilliseconds = 5_000;

export interface RunningIdentityRefresher {
  stop(): Promise<void>;
  /** Resolves when no refresh is in progress. Later refreshes start only when a timer of the clock fires. */
  idle(): Promise<void>;
}

/**
 * Refreshes the identities of all refresh keys, each at the interval of its connector. Also ends identities that are no
 * longer confirmed (`IdentityConfirmations`). Runs on one server (`runOnLeader`).
 */
export function startIdentityRefresher(
  options: IdentityRefresherOptions,
  tenure: RefreshTenure,
): RunningIdentityRefresher {
  const refresher = new IdentityRefresher(options, tenure);
  const confirmations = new IdentityConfirmations(options, tenure);
  return {
    async stop() {
      await Promise.all([refresher.stop(), confirmations.stop()]);
    },
    async idle() {
      await Promise.all([refresher.idle(), confirmations.idle()]);
    },
  };
}

class IdentityRefresher {
  readonly #options: IdentityRefresherOptions;
  readonly #tenure: RefreshTenure;
  readonly #health: ConnectorHealth;
  /** The timers of the next refreshes, by the name of the refresh key. `due` is measured on the clock's `elapsed`. */
  readonly #timers = new Map<string, { readonly due: number; cancel(): void }>();
  readonly #failures = new Map<string, number>();
  readonly #slots = new Map<string, Semaphore>();
  readonly #running = new Set<Promise<void>>();
  readonly #stopped = new AbortController();
  readonly #stopListening: () => void;

  constructor(options: IdentityRefresherOptions, tenure: RefreshTenure) {
    this.#options = options;
    this.#tenure = tenure;
    this.#health = new ConnectorHealth(options.clock);
    const keys = storeOf(options.kinds, accessKeyKind);
    this.#stopListening = keys.listen(({ before, after }) => {
      const name = (after ?? before)?.object.metadata.name ?? '';
      if (after === undefined) this.#forget(name);
      // Schedules only new keys, because each refresh also writes the key that it refreshes.
      else if (isRefreshKey(after.object) && !this.#timers.has(name))
        this.#schedule(name, this.#intervalOf(after.object));
      else if (before === undefined && isLogin(after.object)) this.#hasten(after.object.spec?.parent ?? '');
    });
    for (const { object } of keys.peekAll()) if (isRefreshKey(object)) this.#resume(object);
  }

  async stop(): Promise<void> {
    this.#stopListening();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    const cancelDrain = this.#options.clock.after(drainMilliseconds, () => this.#stopped.abort());
    await Promise.all(this.#running);
    cancelDrain();
    this.#stopped.abort();
  }

  async idle(): Promise<void> {
    await Promise.all(this.#running);
  }

  /**
   * Schedules the next refresh of a key that was refreshed earlier, by another server or by this server before a
   * restart.
   */
  #resume(key: AccessKey): void {
    const { clock, refreshKeys, random = Math.random } = this.#options;
    const last = Date.parse(key.spec?.identityRefresh ?? '') || 0;
    const interval = this.#intervalOf(key);
    const startedAt = refreshKeys.secretsOf(key)?.startedAt ?? Number.NEGATIVE_INFINITY;
    const due = Math.max(last + interval, startedAt + inUseMilliseconds) - clock.now();
    // Spreads overdue keys over a tenth of their interval.
    this.#schedule(key.metadata.name ?? '', due > 0 ? Math.min(due, interval) : (random() * interval) / 10);
  }

  /**
   * Moves the next refresh of an idle key to an earlier time after its user has logged in. Never postpones a refresh.
   */
  #hasten(name: string): void {
    const key = this.#options.state.accessKey(name);
    const timer = this.#timers.get(name);
    if (key === undefined || timer === undefined) return;
    const interval = this.#usedIntervalOf(key);
    if (timer.due > this.#options.clock.elapsed() + interval) this.#schedule(name, interval - this.#jitter(interval));
  }

  #schedule(name: string, delay: number): void {
    const { clock } = this.#options;
    this.#timers.get(name)?.cancel();
    const cancel = clock.after(delay, () => {
      const running = this.#refresh(name).finally(() => this.#running.delete(running));
      this.#running.add(running);
    });
    this.#timers.set(name, { due: clock.elapsed() + delay, cancel });
  }

  #forget(name: string): void {
    this.#timers.get(name)?.cancel();
    this.#timers.delete(name);
    this.#failures.delete(name);
  }

  async #refresh(name: string): Promise<void> {
    const { state, counters, log } = this.#options;
    const key = state.accessKey(name);
    if (key === undefined || this.#stopped.signal.aborted) return;
    const connector = key.spec?.identity?.connector ?? '';
    let outcome: RefreshOutcome;
    try {
      const release = await this.#slotsOf(connector).acquire(this.#stopped.signal);
      try {
        if (await this.#postpone(key, connector)) return;
        outcome = await refreshIdentity(this.#options, name, this.#tenure, this.#stopped.signal);
      } finally {
        release();
      }
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      log.warn({ accessKey: name, connector, error }, 'cannot refresh an identity');
      outcome = { result: 'unavailable', why: 'an error on this server; see its log' };
    }
    const { result } = outcome;
    await this.#reportSeries(key, outcome);
    if (result !== undefined) counters.count(result);
    if (result === 'unavailable') this.#health.recordFailure(connector);
    else if (result !== 'ended') this.#health.recordSuccess(connector);
    this.#continue(name, result);
  }

  /**
   * Writes an audit event for the first failure of a series of failures, and for the success that ends the series. A
   * new leader starts a new series.
   */
  async #reportSeries(key: AccessKey, { result, why = '' }: RefreshOutcome): Promise<void> {
    const { name = '' } = key.metadata;
    const { user = '', identity } = key.spec ?? {};
    const who = { connector: identity?.connector ?? '', subject: identity?.userId ?? '', user, accessKey: name };
    const hasFailed = this.#failures.has(name);
    if (result === 'unavailable' && !hasFailed)
      await auditRefresh(this.#options, who, 'failing', `failed, and is tried again: ${why}`);
    // A refresh with the result `changed` writes its own event, which already shows that the provider answers again.
    else if (result === 'unchanged' && hasFailed)
      await auditRefresh(this.#options, who, 'recovered', 'the provider confirms the identity again');
  }

  /**
   * Handles a key that needs no request to the provider: the key is abandoned, or the provider is down. Returns false
   * for other keys.
   */
  async #postpone(key: AccessKey, connector: string): Promise<boolean> {
    if (this.#isAbandoned(key)) {
      await retireRefreshKey(this.#options, key, this.#tenure, 'the user has not signed in for 30 days');
      return true;
    }
    const pause = this.#health.pauseOf(connector);
    if (pause === 0) return false;
    const isOverdue = this.#isOverdue(key);
    if (isOverdue) await suspendIdentity(this.#options, key, this.#tenure, 'it does not answer');
    const next = pause + this.#jitter(pause);
    this.#schedule(key.metadata.name ?? '', isOverdue ? next : Math.min(next, this.#untilOverdue(key)));
    return true;
  }

  /** True if the user has no valid key and has not signed in for so long that the refresh token should be removed. */
  #isAbandoned(key: AccessKey): boolean {
    const { state, clock } = this.#options;
    const { user = '', identity } = key.spec ?? {};
    const linked = state.user(user)?.status?.identities?.find(({ subject }) => subject === identity?.userId);
    return clock.now() - Date.parse(linked?.lastLogin ?? '') > keptMilliseconds && this.#isIdle(key);
  }

  #continue(name: string, result: RefreshResult | undefined): void {
    const key = this.#options.state.accessKey(name);
    if (key === undefined || !this.#timers.has(name)) return;
    if (result !== 'unavailable') {
      this.#failures.delete(name);
      this.#schedule(name, this.#intervalOf(key));
      return;
    }
    const failures = (this.#failures.get(name) ?? 0) + 1;
    this.#failures.set(name, failures);
    const delay = backoffDelay(failures, { ...retryBackoff, random: this.#options.random ?? Math.random });
    this.#schedule(name, this.#isOverdue(key) ? delay : Math.min(delay, this.#untilOverdue(key)));
  }

  /**
   * Returns the time until the next refresh. It contains a random part, so that logins that were opened together are
   * refreshed at different times.
   */
  #intervalOf(key: AccessKey): number {
    const used = this.#usedIntervalOf(key);
    const interval = this.#isIdle(key) ? Math.max(idleMilliseconds, used) : used;
    return interval - this.#jitter(interval);
  }

  /** Returns the refresh interval for a user who has a valid key. */
  #usedIntervalOf({ spec }: AccessKey): number {
    return (this.#options.connectors.get(spec?.identity?.connector ?? '')?.settings.refreshSeconds ?? 0) * 1000;
  }

  #jitter(interval: number): number {
    return ((this.#options.random ?? Math.random)() * interval) / 10;
  }

  /** True if the user has no key or login that can be used now. */
  #isIdle(key: AccessKey): boolean {
    const { state, clock } = this.#options;
    for (const other of state.accessKeysOf('user', key.spec?.user ?? '')) {
      if (!isRefreshKey(other) && isUsableKey(keyStateOf(other, state), clock.now())) return false;
    }
    return true;
  }

  /** Returns the time until the logins end, in milliseconds, if the provider does not answer before. */
  #untilOverdue(key: AccessKey): number {
    const { connectors, clock } = this.#options;
    const seconds = connectors.get(key.spec?.identity?.connector ?? '')?.settings.unavailableSeconds ?? 0;
    return Date.parse(key.spec?.identityRefresh ?? '') + seconds * 1000 - clock.now();
  }

  #isOverdue(key: AccessKey): boolean {
    return !(this.#untilOverdue(key) > 0);
  }

  #slotsOf(connector: string): Semaphore {
    let slots = this.#slots.get(connector);
    if (slots === undefined) {
      // The queue needs no limit, because each key has at most one waiting refresh.
      slots = new Semaphore(concurrentRefreshes, Number.POSITIVE_INFINITY);
      this.#slots.set(connector, slots);
    }
    return slots;
  }
}
