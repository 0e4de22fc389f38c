import { followSignal } from '../http/request-end.ts';
import type { Visit } from './inside.ts';

export interface InstanceSessionOptions {
  /** Translates the reason why the session in the virtual cluster ends. If it rejects, the reason is kept. */
  endReason(reason: unknown): Promise<unknown>;
  /** `wasEvicted`: the session was ended by the virtual cluster and not by its caller. */
  onLeave(wasEvicted: boolean): void;
}

/** A session in a virtual cluster, with reasons that are about its instance. */
export class InstanceSession implements Visit {
  readonly #session: Visit;
  readonly #options: InstanceSessionOptions;
  #controller: AbortController | undefined;
  #unfollow: (() => void) | undefined;

  constructor(session: Visit, options: InstanceSessionOptions) {
    this.#session = session;
    this.#options = options;
  }

  get inside(): Visit['inside'] {
    return this.#session.inside;
  }

  /** Created on first access. */
  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    this.#unfollow = followSignal(this.#session.signal, (reason) => {
      this.#options.endReason(reason).then(
        (translated) => controller.abort(translated),
        () => controller.abort(reason),
      );
    });
    return controller.signal;
  }

  leave(): void {
    this.#unfollow?.();
    this.#options.onLeave(this.#controller?.signal.aborted === true);
    this.#session.leave();
  }
}
