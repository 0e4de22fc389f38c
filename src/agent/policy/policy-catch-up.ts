import type { Clock } from '../../lib/clock.ts';

export interface PolicyCatchUpOptions {
  /** True while the connection to the control server is up. Without it there is nothing to wait for. */
  isConnected(): boolean;
  readonly clock: Clock;
}

/** Waits for policy changes that the control server has made but that have not arrived at the agent yet. */
export interface PolicyCatchUp {
  /** Resolves when the condition holds, or when it will not in time. */
  waitUntil(holds: () => boolean): Promise<void>;
  /** Must be called after each received line. */
  onPolicyReceived(): void;
}

const maxWaitMs = 1_000;
/** Limits the number of waiting requests, because unauthenticated callers can cause a wait. */
const mostWaiting = 200;

export function createPolicyCatchUp({ isConnected, clock }: PolicyCatchUpOptions): PolicyCatchUp {
  const checks = new Set<() => void>();
  return {
    async waitUntil(holds) {
      if (holds() || !isConnected() || checks.size >= mostWaiting) return;
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
