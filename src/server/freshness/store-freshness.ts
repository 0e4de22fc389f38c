import { setMaxListeners } from 'node:events';
import { StatusError, serviceUnavailable } from '../../api/status.ts';
import type { ControlPlane } from '../../controlplane/control-plane.ts';
import type { Freshness } from '../../http/freshness.ts';
import type { HealthCheck } from '../../http/plane.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { toStatusError } from '../../registry/store-status.ts';
import type { CacheState } from '../../replicas/replica-rows.ts';
import type { Revision, Store } from '../../store/store.ts';

export interface StoreFreshnessOptions {
  readonly store: Pick<Store, 'revision'>;
  /** The slices on which permissions depend: the management API, the built-in cluster, and the signing keys. */
  readonly slices: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
}

const pollMilliseconds = 500;
/** The time within which the store must answer at the start of the server, in milliseconds. */
const startMilliseconds = 10_000;
/** The maximum age, in milliseconds, of the permissions that the server uses to authenticate a request. */
const maxAgeMilliseconds = 1_000;
/**
 * The numbers of consecutive polls without a confirmation after which requests are refused without asking the store
 * again, and after which streams end (four seconds). Polls are counted instead of time, so that a process that was
 * paused polls the store before it refuses requests.
 */
const [pollsUntilRefusal, pollsUntilStreamsEnd] = [3, 8] as const;

/**
 * Asks a shared store twice a second for the revisions of slices. The store answers only after the caches of this
 * process have received all changes up to these revisions. A replica without a connection to the store therefore
 * detects that its permissions may be outdated.
 */
export class StoreFreshness implements Freshness {
  readonly #options: StoreFreshnessOptions;
  /** The functions that request the revision of each slice, by slice. */
  readonly #questions: Map<string, () => Revision | Promise<Revision>>;
  readonly #revisions = new Map<string, Revision>();
  #version = 0;
  /** The time on the monotonic clock at which the latest successful confirmation began. */
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** The number of polls since the latest confirmation. */
  #unconfirmedPolls = 0;
  #isAsking = false;
  /** True if a poll was due while the previous poll was still waiting for its answer. */
  #isOverdue = false;
  #lost = newSignal();
  /** The reason why this server must not use the store any longer. */
  #refusal: string | undefined;
  #cancelPoll = () => {};

  constructor(options: StoreFreshnessOptions) {
    this.#options = options;
    const { store, slices } = options;
    this.#questions = new Map(slices.map((slice) => [slice, () => store.revision(slice)]));
  }

  /**
   * Asks the caches of an open plane for a current revision instead of the store. If the store could not deliver all
   * changes, these caches are outdated until they are loaded again.
   */
  follow({ id, freshRevision }: Pick<ControlPlane, 'id' | 'freshRevision'>): void {
    if (freshRevision !== undefined) this.#questions.set(id, freshRevision);
  }

  /** Confirms for the first time that the caches are current, and repeats this until `close`. */
  async start(): Promise<void> {
    await this.#confirmWithin(startMilliseconds, () =>
      serviceUnavailable(`the store did not answer within ${startMilliseconds / 1_000} seconds`, 1),
    );
    this.#scheduleNextPoll();
  }

  close(): void {
    this.#cancelPoll();
  }

  get version(): number {
    return this.#version;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * The revision up to which the cache of the first slice was complete at the latest confirmation, and the milliseconds
   * since that confirmation.
   */
  get caches(): CacheState | undefined {
    const { slices, clock } = this.#options;
    const revision = this.#revisions.get(slices[0] ?? '');
    return revision === undefined ? undefined : { revision, ageMs: clock.elapsed() - this.#confirmedAt };
  }

  /** The check of `/readyz`. If it fails, load balancers send requests to other replicas. */
  get healthCheck(): HealthCheck {
    return {
      name: 'current-permissions',
      on: ['readyz'],
      check: async () => {
        await this.requireCurrent();
      },
    };
  }

  async confirm(): Promise<void> {
    await this.#confirmWithin(maxAgeMilliseconds, unconfirmedError);
    if (this.#refusal !== undefined) throw refusedError(this.#refusal);
  }

  /** Refuses all requests and ends all streams from now on, because this server must not use the store any longer. */
  refuse(reason: string): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = reason;
    this.#options.log.error({}, `requests get 503, and streams end: ${reason}`);
    this.#lost.abort(refusedError(reason));
  }

  async #confirmWithin(milliseconds: number, timeoutError: () => StatusError): Promise<void> {
    const { clock } = this.#options;
    const startedAt = clock.elapsed();
    const timeout = { clock, milliseconds, timeoutError };
    try {
      const questions = [...this.#questions];
      const revisions = await withTimeout(timeout, () =>
        Promise.all(questions.map(async ([slice, ask]) => [slice, await ask()] as const)),
      );
      this.#onConfirmed(startedAt, revisions);
    } catch (error) {
      throw error instanceof StatusError ? error : toStatusError(error);
    }
  }

  requireCurrent(): Promise<void> | undefined {
    if (this.#refusal !== undefined) return Promise.reject(refusedError(this.#refusal));
    if (this.#options.clock.elapsed() - this.#confirmedAt <= maxAgeMilliseconds) return undefined;
    return this.#unconfirmedPolls >= pollsUntilRefusal ? Promise.reject(unconfirmedError()) : this.confirm();
  }

  #onConfirmed(startedAt: number, revisions: readonly (readonly [slice: string, revision: Revision])[]): void {
    const { log } = this.#options;
    let hasAdvanced = false;
    for (const [slice, revision] of revisions) {
      if (revision <= (this.#revisions.get(slice) ?? 0)) continue;
      this.#revisions.set(slice, revision);
      hasAdvanced = true;
    }
    if (hasAdvanced) this.#version++;
    this.#confirmedAt = Math.max(this.#confirmedAt, startedAt);
    if (this.#unconfirmedPolls >= pollsUntilRefusal)
      log.info({}, 'the store confirms again that the permissions are current; requests are served');
    this.#unconfirmedPolls = 0;
    if (this.#lost.signal.aborted && this.#refusal === undefined) this.#lost = newSignal();
  }

  #scheduleNextPoll(): void {
    this.#cancelPoll = this.#options.clock.after(pollMilliseconds, () => this.#poll());
  }

  #poll(): void {
    const { log } = this.#options;
    this.#scheduleNextPoll();
    this.#unconfirmedPolls++;
    if (this.#unconfirmedPolls === pollsUntilRefusal)
      log.error({}, 'the store does not confirm that the permissions are current; rejecting requests with 503');
    if (this.#unconfirmedPolls === pollsUntilStreamsEnd) {
      log.error({}, 'the store has not confirmed the permissions for four seconds; watches and other streams end');
      this.#lost.abort(unconfirmedError());
    }
    void this.#ask();
  }

  /** Polls the store. If the previous poll is still in progress, polls again as soon as the previous poll ends. */
  async #ask(): Promise<void> {
    this.#isOverdue = this.#isAsking;
    if (this.#isAsking) return;
    this.#isAsking = true;
    try {
      await this.confirm();
    } catch (error) {
      this.#options.log.debug({ error }, 'the store did not confirm that the permissions are current');
    } finally {
      this.#isAsking = false;
    }
    if (this.#isOverdue) await this.#ask();
  }
}

/**
 * Starts to confirm regularly that the caches of a shared store are current. Returns `undefined` for other stores,
 * whose caches are always current.
 */
export async function openStoreFreshness(
  options: StoreFreshnessOptions & { readonly store: Pick<Store, 'revision' | 'isShared'> },
): Promise<StoreFreshness | undefined> {
  if (!options.store.isShared) return undefined;
  const freshness = new StoreFreshness(options);
  await freshness.start();
  return freshness;
}

function newSignal(): AbortController {
  const controller = new AbortController();
  // Every open stream listens to the signal, so the number of listeners has no limit.
  setMaxListeners(0, controller.signal);
  return controller;
}

function refusedError(reason: string): StatusError {
  return serviceUnavailable(`this server cannot serve requests any longer: ${reason}; use another server`, 1);
}

function unconfirmedError(): StatusError {
  return serviceUnavailable(
    'this server cannot confirm with its store that access keys and roles are current; try again, or use another server',
    1,
  );
}
