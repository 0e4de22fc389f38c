import type { KubeObject } from '../api/meta.ts';
import type { ActivityLog } from '../gateway/instance-activity.ts';
import type { Clock } from '../lib/clock.ts';
import { wait } from '../lib/wait.ts';
import type { Centre } from './centre.ts';

export interface ReportActivityOptions {
  readonly activity: ActivityLog;
  readonly centre: Pick<Centre, 'reportActivity'>;
  /** Those on this cluster. */
  instances(): readonly KubeObject[];
  readonly clock: Clock;
}

/** More often than the centre writes it down, so that nothing falls asleep that is used. */
const everyMilliseconds = 10_000;

/** Tells the centre which virtual clusters were used here, until the signal fires. Never rejects. */
export async function reportActivity(
  { activity, centre, instances, clock }: ReportActivityOptions,
  signal: AbortSignal,
) {
  const used = new Set<string>();
  const stop = activity.onActivity((uid) => void used.add(uid));
  while (!signal.aborted) {
    await wait(clock, everyMilliseconds, signal);
    if (used.size === 0 || signal.aborted) continue;
    const told = new Set(used);
    used.clear();
    const times = instances().flatMap(({ metadata: { namespace = '', name = '', uid = '' } }) => {
      const time = told.has(uid) ? activity.lastActivity(uid) : undefined;
      if (time === undefined) return [];
      return [{ namespace, name, uid, secondsAgo: Math.max(0, Math.round((clock.now() - time) / 1000)) }];
    });
    // Whoever is not heard is told again with the next ones.
    await centre.reportActivity({ used: times }, signal).catch(() => {
      for (const uid of told) used.add(uid);
    });
  }
  stop();
}
