import type { Clock } from '../lib/clock.ts';

export interface CatchingUpOptions {
  /** Whether the centre is heard now: otherwise there is nothing to wait for. */
  isConnected(): boolean;
  readonly clock: Clock;
}

/** What the centre has just done the agent hears a moment later; who is quicker than that waits for it. */
export interface CatchingUp {
  /** Settles when it is so, or when it is not going to be. */
  until(holds: () => boolean): Promise<void>;
  /** To be called when something was heard. */
  heard(): void;
}

const longestMilliseconds = 1_000;
/** Anybody can come with something that looks new; beyond so many nobody is waited for. */
const mostWaiting = 200;

export function createCatchingUp({ isConnected, clock }: CatchingUpOptions): CatchingUp {
  const looks = new Set<() => void>();
  return {
    async until(holds) {
      if (holds() || !isConnected() || looks.size >= mostWaiting) return;
      await new Promise<void>((resolve) => {
        const end = () => {
          cancel();
          looks.delete(look);
          resolve();
        };
        const look = () => {
          if (holds()) end();
        };
        const cancel = clock.after(longestMilliseconds, end);
        looks.add(look);
      });
    },
    heard() {
      for (const look of [...looks]) look();
    },
  };
}
