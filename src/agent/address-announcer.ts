import type { AgentAnnouncement, AgentAnnouncementReceipt } from '../api/agent/policy-feed.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { ControlServer } from './control-server.ts';

export interface AddressAnnouncerOptions {
  readonly server: Pick<ControlServer, 'announce'>;
  readonly announcement: AgentAnnouncement;
  /** Called with the response to each announcement. Optional. */
  readonly onAnnounced?: ((receipt: AgentAnnouncementReceipt) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Announces the agent's address to the control server. The announcement is repeated after each reconnect, because the
 * server may have been restored from a backup, or the Cluster object may have been created again.
 */
export interface AddressAnnouncer {
  /** Must be called each time the agent has connected to the control server. */
  onConnected(): void;
  /** Resolves after the abort signal has fired and the last request has ended. Never rejects. */
  readonly done: Promise<void>;
}

const retry: BackoffOptions = { initialMilliseconds: 500, maxMilliseconds: 30_000 };

export function startAddressAnnouncer(
  { server, announcement, onAnnounced, clock, log }: AddressAnnouncerOptions,
  signal: AbortSignal,
): AddressAnnouncer {
  let current: Promise<void> | undefined;
  let again = false;

  async function announce(): Promise<void> {
    for (let failures = 1; !signal.aborted; failures++) {
      try {
        again = false;
        const receipt = await server.announce(announcement, signal);
        onAnnounced?.(receipt);
        if (again) continue;
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (failures === 3) log.warn({ error: String(error) }, 'cannot announce the agent to the server; retrying');
        await wait(clock, backoffDelay(failures, retry), signal);
      }
    }
  }

  const done = new Promise<void>((resolve) => {
    const end = () => void (current ?? Promise.resolve()).then(resolve);
    signal.addEventListener('abort', end, { once: true });
  });
  return {
    onConnected() {
      again = true;
      current ??= announce().finally(() => {
        current = undefined;
      });
    },
    done,
  };
}
