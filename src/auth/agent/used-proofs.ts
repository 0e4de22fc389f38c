import type { Clock } from '../../lib/clock.ts';
import { proofToleranceSeconds } from './agent-proof.ts';

/**
 * The time for which a used proof is remembered, in milliseconds. A proof can be valid for this long, because the time
 * in the proof may differ from the server's clock by the tolerance in both directions.
 */
const keptMilliseconds = 2 * proofToleranceSeconds * 1000;

/**
 * The maximum number of remembered proofs. Only holders of a registered key can add proofs, and the rate of their
 * requests is limited. Beyond the maximum, the oldest proof is forgotten.
 */
const maxProofs = 100_000;

/** The proofs that this process has accepted. Each proof is accepted only once. */
export class UsedProofs {
  /**
   * The time at which each proof can be forgotten, by the key's fingerprint and the proof's ID. Proofs are in the order
   * of their use.
   */
  readonly #ends = new Map<string, number>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records the use of a proof. Returns false if the proof was used before. */
  use(fingerprint: string, id: string): boolean {
    const now = this.#clock.elapsed();
    for (const [used, end] of this.#ends) {
      if (end > now && this.#ends.size < maxProofs) break;
      this.#ends.delete(used);
    }
    const key = `${fingerprint} ${id}`;
    if (this.#ends.has(key)) return false;
    this.#ends.set(key, now + keptMilliseconds);
    return true;
  }
}
