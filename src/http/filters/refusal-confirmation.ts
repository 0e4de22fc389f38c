import { StatusError } from '../../api/status.ts';
import type { Identity } from '../../auth/identity.ts';
import type { Clock } from '../../lib/clock.ts';
import type { MaybePromise } from '../../lib/maybe-promise.ts';
import type { Freshness } from '../freshness.ts';

/** The members of an exchange that the decision changes or reads. */
interface DecidedRequest {
  readonly receivedElapsed: number;
  identity?: Identity | undefined;
}

/** Returns the caller of a request from the current state; `undefined` if its credential is not valid. */
type Identify = () => MaybePromise<Identity | undefined>;

/**
 * A request that got 503 is decided again only if it arrived less than this time ago. A request that took longer has
 * waited for its target and noticed changes of the target.
 */
const immediateMilliseconds = 1_000;

/**
 * Decides whether a request that would be refused must be decided again. Another replica may have written a permission,
 * a key or a target that the caches of this process do not contain yet. A request may be refused only from a state that
 * is at least as new as the request. One confirmation per request is enough, because everything after it is decided
 * from the confirmed state.
 */
export class RefusalConfirmation {
  readonly #freshness: Freshness;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #request: DecidedRequest;
  readonly #version: number;
  #identify: Identify;
  #isConfirmed = false;

  /** Must be created before the request reads the state for the first time. */
  constructor(freshness: Freshness, clock: Pick<Clock, 'elapsed'>, request: DecidedRequest, identify: Identify) {
    this.#freshness = freshness;
    this.#clock = clock;
    this.#request = request;
    this.#version = freshness.version;
    this.#identify = identify;
  }

  /** Applies `derive` to the caller whenever the request is authenticated again, for example for impersonation. */
  deriveIdentity(derive: (caller: Identity) => Identity): void {
    const identify = this.#identify;
    this.#identify = async () => {
      const caller = await identify();
      return caller && derive(caller);
    };
  }

  /**
   * Waits until the caches contain every write that was acknowledged before this call. Returns true if the caches may
   * contain new writes, so the request must be decided again. Returns false if the refusal is final.
   */
  async hasNewState(): Promise<boolean> {
    if (this.#isConfirmed) return false;
    this.#isConfirmed = true;
    await this.#freshness.confirm();
    return this.#freshness.version !== this.#version;
  }

  /**
   * Returns true if a refused request of an authenticated caller must be decided again (see `hasNewState`). The
   * exchange then contains the caller with its current groups and roles. `refusal` is the error of the refused request,
   * if there is one.
   */
  async mustDecideAgain(refusal?: unknown): Promise<boolean> {
    if (refusal !== undefined && !this.#dependsOnState(refusal)) return false;
    if (!(await this.hasNewState())) return false;
    const caller = await this.#identify();
    if (caller === undefined || caller.signal.aborted) return false;
    this.#request.identity = caller;
    return true;
  }

  #dependsOnState(refusal: unknown): boolean {
    if (!(refusal instanceof StatusError)) return false;
    const { code } = refusal;
    if (code === 503) return this.#clock.elapsed() - this.#request.receivedElapsed < immediateMilliseconds;
    return code === 403 || code === 404 || code === 501;
  }
}
