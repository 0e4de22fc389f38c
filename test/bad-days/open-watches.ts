import type { ApiCaller } from './api-caller.ts';

/** How many watches of the kind the server has open. */
export async function openWatches(caller: ApiCaller, plural: string): Promise<number> {
  const { text } = await caller.send('GET', '/metrics');
  const gauge = new RegExp(
    `^apiserver_longrunning_requests\\{verb="WATCH"[^}]*resource="${plural}"[^}]*\\} (\\d+)$`,
    'm',
  );
  return Number(gauge.exec(text)?.[1] ?? 0);
}
