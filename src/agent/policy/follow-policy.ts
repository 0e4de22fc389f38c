import { keepaliveIntervalMs, type PolicyFeedHeader, type PolicyLine } from '../../api/agent/policy-feed.ts';
import { StatusError } from '../../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../../lib/backoff.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { wait } from '../../lib/wait.ts';
import type { ControlServer } from '../control-server.ts';
import { wrongApiWord } from './wrong-api-word.ts';

export interface FollowPolicyOptions {
  readonly server: Pick<ControlServer, 'streamPolicy'>;
  onLine(line: PolicyLine): void;
  /** Returns the first line of the agent's current policy; `undefined` if there is no policy. */
  header(): PolicyFeedHeader | undefined;
  /** Called after the full policy has arrived on a connection. From then on, only changes arrive. */
  onSynced(): void;
  /** Called after the connection to the control server is lost. */
  onLost(): void;
  readonly clock: Clock;
  readonly log: Log;
}

const retry: BackoffOptions = { initialMilliseconds: 200, maxMilliseconds: 3_000 };
/**
 * The maximum time without a line from the control server. If it is exceeded, the server hangs or the network is down,
 * and the agent reconnects.
 */
const silenceTimeoutMs = 3 * keepaliveIntervalMs;
/**
 * The time for which a policy older than the known one is rejected. If no newer policy arrives in this time, the older
 * one is accepted: a replica that is behind the others stops within seconds, so the store must have been restored from
 * a backup.
 */
const olderPolicyMs = 60_000;

/** Receives the policy from the control server until the signal fires. Reconnects after each failure. Never rejects. */
export async function followPolicy(options: FollowPolicyOptions, signal: AbortSignal): Promise<void> {
  const { clock, log } = options;
  const order = new PolicyOrder(options);
  let failures = 0;
  while (!signal.aborted) {
    let hasBegun = false;
    let synced = false;
    const silence = new AbortController();
    const stop = () => silence.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    let cancel = () => {};
    const resetTimeout = () => {
      cancel();
      cancel = clock.after(silenceTimeoutMs, () => silence.abort(new Error('no data from the server')));
    };
    try {
      resetTimeout();
      for await (const line of options.server.streamPolicy(silence.signal)) {
        resetTimeout();
        if (!hasBegun && line.type !== 'BEGIN') throw new Error('the policy feed does not start with BEGIN');
        hasBegun = true;
        if (line.type === 'BEGIN') {
          const wrong = wrongApiWord(line);
          if (wrong !== undefined) throw new Error(wrong);
          order.check(line);
        }
        options.onLine(line);
        if (line.type !== 'SYNCED') continue;
        synced = true;
        failures = 0;
        options.onSynced();
      }
      log.warn({}, 'the server closed the policy feed; reconnecting');
    } catch (error) {
      if (!signal.aborted)
        log.warn({ error: describeError(error) }, 'lost connection to the server; using cached policy');
    } finally {
      cancel();
      signal.removeEventListener('abort', stop);
    }
    if (synced) options.onLost();
    failures += 1;
    if (!signal.aborted) await wait(clock, backoffDelay(failures, retry), signal);
  }
}

/** Rejects a full policy that is older than the known one, because with it a revoked key would become valid again. */
class PolicyOrder {
  readonly #options: Pick<FollowPolicyOptions, 'header' | 'clock' | 'log'>;
  /** The monotonic time of the first rejection since a policy was last accepted. */
  #olderSince: number | undefined;

  constructor(options: Pick<FollowPolicyOptions, 'header' | 'clock' | 'log'>) {
    this.#options = options;
  }

  check({ installation, revision }: PolicyFeedHeader): void {
    const { clock, log } = this.#options;
    const known = this.#options.header();
    const knownRevision = known?.installation === installation ? known.revision : undefined;
    if (knownRevision === undefined || revision === undefined || revision >= knownRevision) {
      this.#olderSince = undefined;
      return;
    }
    this.#olderSince ??= clock.elapsed();
    if (clock.elapsed() - this.#olderSince < olderPolicyMs) {
      throw new Error(`the server sent a policy of revision ${revision}, but revision ${knownRevision} is known`);
    }
    log.warn({ revision, knownRevision }, 'accepting an older policy; the store of the server was probably restored');
  }
}

function describeError(error: unknown): string {
  if (error instanceof StatusError && (error.code === 401 || error.code === 403)) {
    return `${error.message}; the credential of the agent is no longer valid: create a join token with "flotilla cluster rejoin", or an access key with "flotilla cluster agent-key"`;
  }
  return error instanceof Error ? error.message : String(error);
}
