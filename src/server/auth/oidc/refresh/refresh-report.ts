import { randomUUID } from 'node:crypto';
import { timestamp } from '../../../../api/meta.ts';
import type { AuditLog } from '../../../../audit/audit-log.ts';
import type { LabelledGauge } from '../../../../http/metrics/server-gauges.ts';
import type { Clock } from '../../../../lib/clock.ts';
import type { Log } from '../../../../lib/log.ts';

/** The results of refreshes, which the metric counts. */
const refreshResults = ['changed', 'unchanged', 'unavailable', 'gone', 'ended'] as const;
export type RefreshResult = (typeof refreshResults)[number];

/** The number of refreshes of this server by result. */
export class RefreshCounters {
  readonly #counts = new Map<RefreshResult, number>(refreshResults.map((result) => [result, 0]));

  count(result: RefreshResult): void {
    this.#counts.set(result, (this.#counts.get(result) ?? 0) + 1);
  }

  gauges(): readonly LabelledGauge[] {
    return [
      {
        name: 'flotilla_identity_refreshes_total',
        help: 'Number of refreshes of identities at identity providers, by result.',
        label: 'result',
        values: () => this.#counts,
      },
    ];
  }
}

/** An identity whose refresh an audit event reports. */
interface RefreshedIdentity {
  readonly connector: string;
  readonly subject: string;
  readonly user: string;
  /** The name of the refresh key, which is the parent of the logins. */
  readonly accessKey?: string | undefined;
}

/**
 * The reported results and their status codes. `failing` reports the first failure of a series, `recovered` the success
 * that ends the series.
 */
const codes = { changed: 200, recovered: 200, gone: 401, ended: 401, failing: 503, unavailable: 503 } as const;

/**
 * Writes an audit event about a refresh that changed permissions or ended logins, about the first failure of a series,
 * or about the success that ends a series. Other refreshes are only counted. Otherwise every login would cause an event
 * every few minutes.
 */
export async function auditRefresh(
  { auditLog, clock, log }: { readonly auditLog: AuditLog; readonly clock: Clock; readonly log: Log },
  { connector, subject, user, accessKey }: RefreshedIdentity,
  result: keyof typeof codes,
  why: string,
): Promise<void> {
  const now = timestamp(clock.now());
  const reason = `refresh with the connector "${connector}", subject ${JSON.stringify(subject)}: ${why}`;
  try {
    await auditLog.write({
      user: { username: user, groups: [] },
      accessKey,
      auditID: randomUUID(),
      verb: 'refresh',
      requestURI: `/auth/oidc/${connector}/refresh`,
      sourceIPs: [],
      userAgent: 'flotilla',
      level: 'Metadata',
      stage: 'ResponseComplete',
      responseStatus: { code: codes[result] },
      decision: { allowed: codes[result] === 200, reason },
      requestReceivedTimestamp: now,
      stageTimestamp: now,
    });
  } catch (error) {
    // Only logs a failure of the audit log. The refresh continues, because it may withdraw permissions.
    log.warn({ error, user, connector }, 'cannot write the audit event of a refresh');
  }
}
