import { setMaxListeners } from 'node:events';
import { backoffDelay } from '../../../lib/backoff.ts';
import { type Clock, systemClock } from '../../../lib/clock.ts';
import { wait } from '../../../lib/wait.ts';
import type { EtcdCredentials, EtcdEndpoint } from './endpoints.ts';
import { EtcdError, grpcStatus } from './etcd-error.ts';
import { MemberConnection, type WatchListener, type WatchStream } from './member-connection.ts';
import { authenticateMethod, type EtcdMethod } from './methods.ts';
import type { WatchRequest } from './watch-messages.ts';

export interface EtcdClientOptions {
  readonly endpoints: readonly EtcdEndpoint[];
  readonly credentials: EtcdCredentials;
  readonly timeouts: EtcdTimeouts;
}

export interface EtcdTimeouts {
  /** The time in milliseconds after which a call fails if no member has answered. */
  readonly call: number;
  /** The time in milliseconds after which the next member is asked instead. */
  readonly member: number;
}

const retryBackoff = { initialMilliseconds: 20, maxMilliseconds: 500 };

/**
 * A client of an etcd cluster. It uses one member at a time. After a call that failed because of the member, it
 * switches to the next member.
 */
export class EtcdClient {
  readonly #members: readonly MemberConnection[];
  readonly #credentials: EtcdCredentials;
  readonly #timeouts: EtcdTimeouts;
  /** Uses real time even in tests with a manual clock, because etcd does not know that clock. */
  readonly #clock: Clock = systemClock;
  readonly #closing = new AbortController();
  /** Keeps the process running while a call waits for etcd, because timers and idle connections do not. */
  readonly #keepAlive = setInterval(() => {}, 3_600_000);
  #current: number;
  #token: Promise<string> | undefined;

  constructor({ endpoints, credentials, timeouts }: EtcdClientOptions) {
    this.#members = endpoints.map((endpoint) => new MemberConnection(endpoint, credentials));
    this.#credentials = credentials;
    this.#timeouts = timeouts;
    // Starts with a random member, so replicas with the same list of members use different ones.
    this.#current = Math.floor(Math.random() * endpoints.length);
    // Allows any number of listeners, because every call that waits for a retry listens to this signal.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Returns the time at which a call that starts now must have ended. */
  newDeadline(): number {
    return this.#clock.elapsed() + this.#timeouts.call;
  }

  isOver(deadline: number): boolean {
    return this.#closing.signal.aborted || this.#clock.elapsed() >= deadline;
  }

  /**
   * Calls an idempotent method. Asks the members until one answers, the deadline is over, or all of them have refused a
   * TLS connection. Rejects with EtcdError.
   */
  async call<Request, Response>(
    method: EtcdMethod<Request, Response>,
    request: Request,
    deadline = this.newDeadline(),
  ): Promise<Response> {
    let reason: EtcdError | undefined;
    let untrusted = 0;
    for (let failures = 1; ; failures++) {
      try {
        return await this.callOnce(method, request, deadline);
      } catch (error) {
        if (!(error instanceof EtcdError) || !error.isTransient) throw error;
        untrusted = error.isUntrusted ? untrusted + 1 : 0;
        if (untrusted === this.#members.length) throw error;
        // Keeps an earlier error, which is more informative than the timeout.
        reason = error.status === grpcStatus.deadlineExceeded ? (reason ?? error) : error;
      }
      await this.pause(failures);
      if (this.isOver(deadline)) throw reason;
    }
  }

  /**
   * Calls a method at one member. If the call rejects, the method may have taken effect; see
   * `EtcdError.isWithoutEffect`.
   */
  async callOnce<Request, Response>(
    method: EtcdMethod<Request, Response>,
    request: Request,
    deadline: number,
  ): Promise<Response> {
    const index = this.#current;
    const member = this.#members[index];
    if (member === undefined || this.#closing.signal.aborted) throw closedError();
    const milliseconds = Math.max(1, Math.min(this.#timeouts.member, deadline - this.#clock.elapsed()));
    const token = this.#getToken(member, milliseconds);
    try {
      return await member.call(method, request, { token: await token, milliseconds });
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (error.isTransient) this.#leave(index);
      if (!error.isInvalidToken || token === undefined) throw error;
      if (this.#token === token) this.#token = undefined;
      return await member.call(method, request, { token: await this.#getToken(member, milliseconds), milliseconds });
    }
  }

  /** Opens a watch at the current member. The caller opens it again after it has failed. */
  async watch(request: WatchRequest, listener: WatchListener): Promise<WatchStream> {
    const index = this.#current;
    const member = this.#members[index];
    if (member === undefined || this.#closing.signal.aborted) throw closedError();
    const token = await this.#getToken(member, this.#timeouts.member);
    return member.watch(request, token, {
      response: (response) => listener.response(response),
      failed: (error) => {
        if (error.isInvalidToken) this.#token = undefined;
        this.#leave(index);
        listener.failed(error);
      },
    });
  }

  /** Waits before a failed call is repeated. */
  async pause(failures: number): Promise<void> {
    await wait(this.#clock, backoffDelay(failures, retryBackoff), this.#closing.signal);
  }

  /** Uses another member from now on. */
  switchMember(): void {
    this.#leave(this.#current);
  }

  close(): void {
    this.#closing.abort();
    clearInterval(this.#keepAlive);
    for (const member of this.#members) member.close();
  }

  #leave(index: number): void {
    if (this.#current === index) this.#current = (index + 1) % this.#members.length;
  }

  #getToken(member: MemberConnection, milliseconds: number): Promise<string> | undefined {
    const { user } = this.#credentials;
    if (user === undefined) return undefined;
    if (this.#token === undefined) {
      const asking = member.call(authenticateMethod, user, { token: undefined, milliseconds });
      const token = asking.then((response) => response.token);
      this.#token = token;
      token.catch(() => {
        if (this.#token === token) this.#token = undefined;
      });
    }
    return this.#token;
  }
}

function closedError(): EtcdError {
  return new EtcdError(grpcStatus.cancelled, 'the connection is closed');
}
