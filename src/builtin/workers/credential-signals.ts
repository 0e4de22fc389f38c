import { randomUUID } from 'node:crypto';

/** The number of entries at which entries with unused signals are removed for the first time. */
const firstSweep = 1_000;

/**
 * Gives a name to the AbortSignal of each service account token. The main thread uses the name to refer to the signal.
 * The control plane that authenticated the token keeps the signal as long as the token is in use.
 */
export class CredentialSignals {
  readonly #names = new WeakMap<AbortSignal, string>();
  readonly #signals = new Map<string, WeakRef<AbortSignal>>();
  #sweepAt = firstSweep;

  nameOf(signal: AbortSignal): string {
    const known = this.#names.get(signal);
    if (known !== undefined) return known;
    if (this.#signals.size >= this.#sweepAt) this.#sweep();
    const name = randomUUID();
    this.#names.set(signal, name);
    this.#signals.set(name, new WeakRef(signal));
    return name;
  }

  /** Returns the signal with this name; `undefined` if no plane keeps the signal any longer. */
  find(name: string): AbortSignal | undefined {
    return this.#signals.get(name)?.deref();
  }

  #sweep(): void {
    for (const [name, signal] of this.#signals) if (signal.deref() === undefined) this.#signals.delete(name);
    this.#sweepAt = Math.max(firstSweep, 2 * this.#signals.size);
  }
}
