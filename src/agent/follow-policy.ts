import { aliveMilliseconds, type PolicyLine } from '../api/agent/policy-feed.ts';
import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { Centre } from './centre.ts';

export interface FollowPolicyOptions {
  readonly centre: Pick<Centre, 'policy'>;
  take(line: PolicyLine): void;
  /** Everything has been told on this connection, and from now on what becomes true is. */
  onSynced(): void;
  /** Nothing is heard any more. */
  onLost(): void;
  readonly clock: Clock;
  readonly log: Log;
}

const retry: BackoffOptions = { firstMilliseconds: 200, longestMilliseconds: 3_000 };
/** A centre that is silent for so long is none: it hangs, or somebody took the cable out. */
const silentMilliseconds = 3 * aliveMilliseconds;

/** Hears what the centre tells until the signal fires, whatever breaks in between. Never rejects. */
export async function followPolicy(options: FollowPolicyOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  let failures = 0;
  while (!signal.aborted) {
    let begun = false;
    let synced = false;
    const silence = new AbortController();
    const stop = () => silence.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    let cancel = () => {};
    const listen = () => {
      cancel();
      cancel = clock.after(silentMilliseconds, () => silence.abort(new Error('the centre is silent')));
    };
    try {
      listen();
      for await (const line of options.centre.policy(silence.signal)) {
        listen();
        if (!begun && line.type !== 'BEGIN') throw new Error('the centre does not begin at the beginning');
        begun = true;
        options.take(line);
        if (line.type !== 'SYNCED') continue;
        synced = true;
        failures = 0;
        options.onSynced();
      }
      log.warn({}, 'the centre ended what it tells; it is asked again');
    } catch (error) {
      if (!signal.aborted) log.warn({ error: wordsOf(error) }, 'the centre cannot be heard; what is known holds');
    } finally {
      cancel();
      signal.removeEventListener('abort', stop);
    }
    if (synced) options.onLost();
    failures += 1;
    if (!signal.aborted) await wait(clock, backoffDelay(failures, retry), signal);
  }
}

function wordsOf(error: unknown): string {
  if (error instanceof StatusError && (error.code === 401 || error.code === 403)) {
    return `${error.message}; the agent's key is of no use any more: make a new one with clusters/<name>/accesskey`;
  }
  return error instanceof Error ? error.message : String(error);
}
