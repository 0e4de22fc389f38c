import type { Clock } from '../../lib/clock.ts';

export interface PolicyCatchUpOptions {
  /** True while the agent is connected to the control server. Policy changes arrive only over this connection. */
  isConnected(): boolean;
  readonly clock: Clock;
}

/** Waits for policy changes that the control server has made but that have not arrived at the agent yet. */
export interface PolicyCatchUp {
  /** Resolves as soon as the condition is true, or after one second. */
  waitUntil(holds: () => boolean): Promise<void>;
  /**
   * Must be called after each policy line from the control server. Checks the conditions of all waiting requests again.
   */
  onPolicyReceived(): void;
}

const maxWaitMs = 1_000;
/** The maximum number of waiting requests. It is limited because unauthenticated callers can cause requests to wait. */
const maxWaiting = 200;

export function createPolicyCatchUp({ isConnected, clock }: PolicyCatchUpOptions): PolicyCatchUp {
  const checks = new Set<() => void>();
  return {
    async waitUntil(holds) {
      if (holds() || !isConnected() || checks.size >= maxWaiting) return;
      await new Promise<void>((resolve) => {
        const end = () => {
          cancel();
          checks.delete(check);
          resolve();
        };
        const check = () => {
          if (holds()) end();
        };
        const cancel = clock.after(maxWaitMs, end);
        checks.add(check);
      });
    },
    onPolicyReceived() {
      for (const check of [...checks]) check();
    },
  };
}
