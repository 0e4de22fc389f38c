import type { HostConnection } from '../../../src/hosts/kubernetes/host-connection.ts';

const mostRounds = 40;
const perRound = 40;

export interface TwoWays {
  readonly path: string;
  readonly through: HostConnection;
  readonly straight: HostConnection;
  /** What is little enough: no further round is needed then. */
  readonly wanted: number;
}

/**
 * How many times as long a request takes the one way as the other: of the medians, in turns so that whatever else goes on
 * meets both. The best of some rounds, as it is not the machine's other work that is asked for.
 */
export async function timesAsLong({ path, through, straight, wanted }: TwoWays): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < mostRounds && best >= wanted; round++) {
    const times: [number[], number[]] = [[], []];
    for (let at = 0; at < perRound; at++) {
      times[0].push(await timeOf(through, path));
      times[1].push(await timeOf(straight, path));
    }
    best = Math.min(best, median(times[0]) / median(times[1]));
  }
  return best;
}

async function timeOf({ own }: HostConnection, path: string): Promise<number> {
  const begun = performance.now();
  const signal = AbortSignal.timeout(30_000);
  const { status, body } = await own.send({ method: 'GET', path, headers: {}, signal });
  for await (const _ of body);
  if (status !== 200) throw new Error(`${path}: ${status}`);
  return performance.now() - begun;
}

function median(values: number[]): number {
  values.sort((one, other) => one - other);
  return values[values.length >> 1] ?? 0;
}
