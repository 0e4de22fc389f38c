import type { JsonObject } from '@flotilla/json';
import { StatusError } from '../api/status.ts';
import { type BackoffOptions, backoffDelay } from '../lib/backoff.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { wait } from '../lib/wait.ts';
import type { AuditOutbox } from './audit-outbox.ts';
import type { ControlServer } from './control-server.ts';

export interface UploadAuditLogOptions {
  readonly outbox: AuditOutbox;
  readonly server: Pick<ControlServer, 'uploadAudit'>;
  readonly clock: Clock;
  readonly log: Log;
}

const batchLines = 500;
/** Maximum size of one upload, well below the request size limit of the control server. */
const batchBytes = 1024 * 1024;
/** The time for which audit lines are collected before they are sent together, in milliseconds. */
const pauseMilliseconds = 1_000;
const retry: BackoffOptions = { initialMilliseconds: 1_000, maxMilliseconds: 30_000 };

/** Uploads the audit lines in order, each exactly once, until the signal fires. Never rejects. */
export async function uploadAuditLog(options: UploadAuditLogOptions, signal: AbortSignal): Promise<void> {
  const { outbox, server, clock, log } = options;
  let failures = 0;
  let maxLines = batchLines;
  while (!signal.aborted) {
    try {
      const { first, lines } = await outbox.peek(maxLines, batchBytes);
      const isMore = lines.length >= maxLines || lines.reduce((sum, line) => sum + line.length, 0) >= batchBytes;
      if (lines.length > 0) {
        const sent = lines.map((line) => JSON.parse(line) as JsonObject);
        const { next } = await server
          .uploadAudit({ log: outbox.id, first, lines: sent }, signal)
          .catch((error: unknown) => {
            if (!isRejected(error)) throw error;
            if (lines.length > 1) return { next: first };
            // Skip a single line that the server rejects, so that it does not block the lines after it.
            log.error(
              { line: first, error: error.message },
              'the server rejected an audit line; it remains only in the audit log of the agent',
            );
            return { next: first + 1 };
          });
        maxLines = next > first ? batchLines : Math.ceil(lines.length / 2);
        await outbox.acknowledge(next);
      }
      failures = 0;
      if (!isMore) await wait(clock, pauseMilliseconds, signal);
    } catch (error) {
      if (signal.aborted) return;
      failures += 1;
      // Warn only about rejected uploads, because `followPolicy` already logs a lost connection.
      if (failures === 3)
        log.warn({ error: String(error) }, 'cannot upload the audit log; its lines are kept for later');
      await wait(clock, backoffDelay(failures, retry), signal);
    }
  }
}

/** True if the control server rejected the lines themselves, so that sending them again cannot succeed. */
function isRejected(error: unknown): error is StatusError {
  return error instanceof StatusError && (error.code === 400 || error.code === 413);
}
