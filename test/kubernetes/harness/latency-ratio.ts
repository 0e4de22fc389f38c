import type { HostConnection } from '../../../src/hosts/kubernetes/reach/host-connection.ts';

const mostRounds = 40;
const perRound = 40;

export interface LatencyComparison {
  readonly path: string;
  readonly through: HostConnection;
  readonly direct: HostConnection;
  /** The target ratio. No further round runs after a round reaches it. */
  readonly wanted: number;
}

/**
 * Returns the ratio of the median latencies of two connections, `through` to `direct`. Requests alternate between the
 * connections, so other load on the machine affects both. The result is the best of several rounds, in case other load
 * disturbs a round.
 */
export async function latencyRatio({ path, through, direct, wanted }: LatencyComparison): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < mostRounds && best >= wanted; round++) {
    const times: [number[], number[]] = [[], []];
    for (let at = 0; at < perRound; at++) {
      times[0].push(await timeOf(through, path));
      times[1].push(await timeOf(direct, path));
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
