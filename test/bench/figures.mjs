/**
 * The percentile for a share: the value that this share of the sorted values does not exceed; NaN for an empty array.
 */
export function percentile(sorted, share) {
  if (sorted.length === 0) return Number.NaN;
  return sorted[Math.max(0, Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1))];
}

export function median(values) {
  return percentile(
    [...values].sort((one, other) => one - other),
    0.5,
  );
}

/**
 * Returns the element with the median value. For an even number of elements, uses the smaller of the two middle values.
 */
export function middleBy(all, figure) {
  const middle = median(all.map(figure));
  return all.find((each) => Object.is(figure(each), middle));
}

/** The measured figures of an operation: how to format them, and whether more is better. */
export const figures = {
  rate: { title: 'per second', more: true, digits: 0 },
  throughput: { title: 'MB per second', more: true, digits: 0 },
  p50: { title: 'p50 ms', digits: 2 },
  p99: { title: 'p99 ms', digits: 2 },
  quietP50: { title: 'quiet p50 ms', digits: 2 },
  quietP99: { title: 'quiet p99 ms', digits: 2 },
  loadedP50: { title: 'loaded p50 ms', digits: 2 },
  loadedP99: { title: 'loaded p99 ms', digits: 2 },
  addedP50: { title: 'p50 added ms', digits: 2 },
  share: { title: 'of the rate %', more: true, digits: 0 },
  added: { title: 'p99 added ms', digits: 2 },
  serverCpu: { title: 'server CPU ms', digits: 3 },
  etcdCpu: { title: 'etcd CPU ms', digits: 3 },
  clientCpu: { title: 'client CPU ms', digits: 3, isCompared: false },
  milliseconds: { title: 'ms', digits: 0 },
  // The least difference in megabytes that counts. Smaller differences depend on when the garbage collector ran.
  growth: { title: 'memory growth MiB', digits: 1, least: 4 },
  perWatch: { title: 'memory per watch kB', digits: 1, least: 4 },
  memory: { title: 'memory MiB', digits: 1 },
  disk: { title: 'disk kB each', digits: 1 },
  slower: { title: 'slower %', digits: 1 },
  transferred: { title: 'over the wire kB', digits: 0 },
  delivered: { title: 'delivered %', more: true, digits: 2 },
};

/**
 * The factor by which the value `ours` is better than `theirs`: 2 means twice the rate or half the time; a factor below
 * 1 is worse. `undefined` if one of the two values is missing or zero.
 */
export function timesBetter(figure, ours, theirs) {
  if (!Number.isFinite(ours) || !Number.isFinite(theirs)) return undefined;
  const { more, least = 0 } = figures[figure];
  const [mine, other] = [Math.max(least, ours), Math.max(least, theirs)];
  if (mine === other) return 1;
  const [better, worse] = more ? [mine, other] : [other, mine];
  return worse === 0 || better === 0 ? undefined : better / worse;
}

export const mebibytes = (bytes) => bytes / 1024 / 1024;

export const kilobytesOf = (mebibytesOfMemory) => (mebibytesOfMemory * 1024 * 1024) / 1000;
