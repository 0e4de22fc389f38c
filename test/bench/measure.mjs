/** The value below which that share of the sorted values lies. */
export function percentile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function timesRow(operation, milliseconds, seconds) {
  const sorted = Float64Array.from(milliseconds).sort();
  return {
    operation,
    rate: sorted.length / seconds,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
  };
}

/**
 * Has `workers` call `act(number, worker)` one after the other, each its own calls, for so many seconds or calls in
 * all, whichever comes first. What begins in the first tenth warms up and is not counted. With a `server` the row also
 * says how much processor time a call takes there, which a busy machine blurs less than the rest.
 */
export async function measure(operation, { workers, seconds = 1, calls = 50_000, signal, server }, act) {
  const usedBefore = await server?.processorTime();
  const begin = performance.now();
  const counting = begin + seconds * 100;
  const end = begin + seconds * 1000;
  const times = [];
  let next = 0;
  let firstCounted = 0;
  const work = async (worker) => {
    for (;;) {
      const started = performance.now();
      if (next >= calls || started >= end) return;
      signal.throwIfAborted();
      const number = next++;
      await act(number, worker);
      if (started < counting && calls - number > calls / 2) continue;
      firstCounted ||= started;
      times.push(performance.now() - started);
    }
  };
  const run = () => Promise.all(Array.from({ length: workers }, (_, worker) => work(worker)));
  await (server === undefined ? run() : server.profiled(operation, run));
  const row = timesRow(operation, times, (performance.now() - firstCounted) / 1000);
  return server === undefined ? row : { ...row, cpu: ((await server.processorTime()) - usedBefore) / next };
}
