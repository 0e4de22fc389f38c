import { equalJson, type JsonValue } from '@flotilla/json';
import type { KubeObject } from '../api/meta.ts';

/**
 * Decides which policies or webhooks are called again in the second round of a mutation: those with the
 * reinvocationPolicy `IfNeeded`, if the object was changed after their call.
 */
export class Reinvocation {
  #lastObject: KubeObject | undefined;
  readonly #called = new Set<string>();
  readonly #callAgain = new Set<string>();

  /**
   * Called before each round. If the object was changed since the end of the previous round, all recorded calls must be
   * repeated.
   */
  startRound(object: KubeObject): void {
    if (this.#lastObject !== undefined && !equalJson(this.#lastObject as JsonValue, object as JsonValue))
      this.changed();
  }

  endRound(object: KubeObject): void {
    this.#lastObject = object;
  }

  mustCallAgain(key: string): boolean {
    return this.#callAgain.has(key);
  }

  /**
   * Called after the call of a policy or webhook with the reinvocationPolicy `IfNeeded`. Records the call, so it is
   * repeated if the object is changed later.
   */
  mayCallAgain(key: string): void {
    this.#called.add(key);
  }

  /** Called when the object has changed: all recorded calls must be repeated. */
  changed(): void {
    for (const key of this.#called) this.#callAgain.add(key);
    this.#called.clear();
  }
}
