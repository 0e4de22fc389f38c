import type { KubeObject } from '../api/meta.ts';
import type { ActivityLog } from '../gateway/instance-activity.ts';
import type { Clock } from '../lib/clock.ts';
import { wait } from '../lib/wait.ts';
import type { ControlServer } from './control-server.ts';

export interface ReportActivityOptions {
  readonly activity: ActivityLog;
  readonly server: Pick<ControlServer, 'reportActivity'>;
  /** The virtual clusters and spaces on the agent's cluster. */
  instances(): readonly Pick<KubeObject, 'metadata'>[];
  readonly clock: Clock;
}

/**
 * The interval between reports in milliseconds. It is shorter than the interval at which the control server stores
 * activity, so that no instance in use is put to sleep.
 */
const intervalMs = 10_000;

/** Reports to the control server which virtual clusters and spaces were used, until the signal fires. Never rejects. */
export async function reportActivity(
  { activity, server, instances, clock }: ReportActivityOptions,
  signal: AbortSignal,
) {
  const used = new Set<string>();
  const stop = activity.onActivity((uid) => void used.add(uid));
  while (!signal.aborted) {
    await wait(clock, intervalMs, signal);
    if (used.size === 0 || signal.aborted) continue;
    const reported = new Set(used);
    used.clear();
    const times = instances().flatMap(({ metadata: { namespace = '', name = '', uid = '' } }) => {
      const time = reported.has(uid) ? activity.lastActivity(uid) : undefined;
      if (time === undefined) return [];
      return [{ namespace, name, uid, secondsAgo: Math.max(0, Math.round((clock.now() - time) / 1000)) }];
    });
    // Ignore a failed report, because the next report contains its instances again.
    await server.reportActivity({ used: times }, signal).catch(() => {
      for (const uid of reported) used.add(uid);
    });
  }
  stop();
}
