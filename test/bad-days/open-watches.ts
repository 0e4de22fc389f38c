import type { ApiCaller } from './api-caller.ts';

/** The number of open watches of the kind on the server. */
export async function openWatches(caller: ApiCaller, plural: string): Promise<number> {
  const { text } = await caller.send('GET', '/metrics');
  const gauge = new RegExp(
    `^apiserver_longrunning_requests\\{verb="WATCH"[^}]*resource="${plural}"[^}]*\\} (\\d+)$`,
    'm',
  );
  return Number(gauge.exec(text)?.[1] ?? 0);
}
