import { onAbort } from '../http/request/request-end.ts';
import type { GatewaySession } from './gateway-target.ts';

export interface InstanceSessionOptions {
  /** Returns a better reason for the end of the session. If the promise rejects, the original reason is used. */
  endReason(reason: unknown): Promise<unknown>;
  /**
   * Called when the session is closed. `wasEvicted` is true if the virtual cluster fell asleep or was removed, and
   * false if the caller ended the session.
   */
  onLeave(wasEvicted: boolean): void;
}

/** A session in a virtual cluster. If the session ends, its abort reason names the instance. */
export class InstanceSession implements GatewaySession {
  readonly #session: GatewaySession;
  readonly #options: InstanceSessionOptions;
  #controller: AbortController | undefined;
  #unfollow: (() => void) | undefined;

  constructor(session: GatewaySession, options: InstanceSessionOptions) {
    this.#session = session;
    this.#options = options;
  }

  get target(): GatewaySession['target'] {
    return this.#session.target;
  }

  /** Fires when the virtual cluster falls asleep or is removed. Created on first access. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    this.#unfollow = onAbort(this.#session.signal, (reason) => {
      this.#options.endReason(reason).then(
        (translated) => controller.abort(translated),
        () => controller.abort(reason),
      );
    });
    return controller.signal;
  }

  close(): void {
    this.#unfollow?.();
    this.#options.onLeave(this.#controller?.signal.aborted === true);
    this.#session.close();
  }
}
