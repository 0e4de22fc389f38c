import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { JsonObject } from '../lib/json-value.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { AuditOutbox } from './audit-outbox.ts';
import type { Centre } from './centre.ts';

export interface HandOverOptions {
  readonly outbox: AuditOutbox;
  readonly centre: Pick<Centre, 'handOver'>;
  readonly clock: Clock;
  readonly log: Log;
}

const linesAtATime = 500;
/** Far below what the centre takes in one request. */
const bytesAtATime = 1024 * 1024;
/** What is not urgent is collected for so long. */
const pauseMilliseconds = 1_000;
const retry: BackoffOptions = { firstMilliseconds: 1_000, longestMilliseconds: 30_000 };

/** Hands over what is in the outbox until the signal fires, in order, each line once. Never rejects. */
export async function handOverAudit(options: HandOverOptions, signal: AbortSignal): Promise<void> {
  const { outbox, centre, clock, log } = options;
  let failures = 0;
  let most = linesAtATime;
  while (!signal.aborted) {
    try {
      const { first, lines } = await outbox.peek(most, bytesAtATime);
      const isMore = lines.length >= most || lines.reduce((sum, line) => sum + line.length, 0) >= bytesAtATime;
      if (lines.length > 0) {
        const sent = lines.map((line) => JSON.parse(line) as JsonObject);
        const { next } = await centre
          .handOver({ log: outbox.id, first, lines: sent }, signal)
          .catch((error: unknown) => {
            if (!isRefusal(error)) throw error;
            if (lines.length > 1) return { next: first };
            // The others are not kept waiting for one that is never taken.
            log.error(
              { line: first, error: error.message },
              'the centre refuses a line of the audit log; it stands here only',
            );
            return { next: first + 1 };
          });
        most = next > first ? linesAtATime : Math.ceil(lines.length / 2);
        await outbox.taken(next);
      }
      failures = 0;
      if (!isMore) await wait(clock, pauseMilliseconds, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      // The connection to the centre says by itself that it is lost; this is for what it refuses.
      if (failures === 3) log.warn({ error: String(error) }, 'the audit log cannot be handed over; it is kept');
      await wait(clock, backoffDelay(failures, retry), signal);
    }
  }
}

/** Not that it cannot be taken now, but that it is none. */
function isRefusal(error: unknown): error is StatusError {
  return error instanceof StatusError && (error.code === 400 || error.code === 413);
}
