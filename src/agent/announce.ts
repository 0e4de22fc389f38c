import type { AgentAnnouncement } from '../api/agent/policy-feed.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { Centre } from './centre.ts';

export interface AnnouncingOptions {
  readonly centre: Pick<Centre, 'announce'>;
  readonly told: AgentAnnouncement;
  readonly clock: Clock;
  readonly log: Log;
}

/** Tells the centre where the agent is whenever the two have met: it may have been restored, or its cluster made anew. */
export interface Announcing {
  /** To be called when the centre is heard again. */
  met(): void;
  /** Settles when the signal has fired and nothing runs any more; never rejects. */
  readonly done: Promise<void>;
}

const retry: BackoffOptions = { firstMilliseconds: 500, longestMilliseconds: 30_000 };

export function startAnnouncing({ centre, told, clock, log }: AnnouncingOptions, signal: AbortSignal): Announcing {
  let current: Promise<void> | undefined;
  let again = false;

  async function announce(): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        again = false;
        await centre.announce(told, signal);
        if (again) continue;
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (failures === 3) log.warn({ error: String(error) }, 'the centre has not been told where this agent is');
        await wait(clock, backoffDelay(failures, retry), signal);
      }
    }
  }

  const done = new Promise<void>((resolve) => {
    const end = () => void (current ?? Promise.resolve()).then(resolve);
    signal.addEventListener('abort', end, { once: true });
  });
  return {
    met() {
      again = true;
      current ??= announce().finally(() => {
        current = undefined;
      });
    },
    done,
  };
}
