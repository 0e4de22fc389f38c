import { rm, writeFile } from 'node:fs/promises';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { AuditLog } from './audit-log.ts';

export interface AuditMonitorOptions {
  readonly auditLog: AuditLog;
  /** The path of the audit log. After a failed write, a probe file beside it shows whether the disk accepts writes. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

export interface MonitoredAuditLog {
  readonly auditLog: AuditLog;
  /** Rejects if the last event could not be written and a probe still fails. */
  assertWritable(): Promise<void>;
}

/**
 * The time for which the result of a probe is cached, in milliseconds. Probes are cached because anonymous callers may
 * request checks at any rate.
 */
const cacheMilliseconds = 1_000;
/**
 * The size of the probe file. A full file system may still accept a small write, into the free part of a block. The
 * probe file is larger than such a write.
 */
const probeBytes = 16 * 1024;

/**
 * Tracks whether an audit log can be written. After a failed write, the check writes a probe file. Waiting for the next
 * event is not sufficient, because no events arrive if a load balancer uses other servers.
 */
export function monitorAuditLog({ auditLog, path, clock, log }: AuditMonitorOptions): MonitoredAuditLog {
  let isFailing = false;
  let probed: { readonly at: number; readonly outcome: Promise<void> } | undefined;

  const onFailure = (error: unknown) => {
    if (isFailing) return;
    isFailing = true;
    probed = undefined;
    log.error({ error }, 'the audit log cannot be written; requests that must be recorded are refused, reads continue');
  };
  const probe = async () => {
    await writeProbe(`${path}.probe`);
    isFailing = false;
    log.info({}, 'the audit log can be written again');
  };

  return {
    auditLog: {
      write(event, prefix) {
        const writing = auditLog.write(event, prefix);
        writing.catch(onFailure);
        return writing;
      },
      close: () => auditLog.close(),
    },
    async assertWritable() {
      if (!isFailing) return;
      if (probed === undefined || clock.elapsed() - probed.at >= cacheMilliseconds) {
        probed = { at: clock.elapsed(), outcome: probe() };
      }
      await probed.outcome;
    },
  };
}

async function writeProbe(path: string): Promise<void> {
  try {
    await writeFile(path, Buffer.alloc(probeBytes), { mode: 0o600 });
  } finally {
    await rm(path, { force: true });
  }
}
