const planes = 8;

/** Eight virtual clusters in use at the same time, with one and with two worker threads, and on the main thread. */
export async function busyPlanes(session) {
  if (!session.hasPlanes) return;
  const { busySeconds, listedObjects } = session.sizes;
  const figures = new Map();
  for (const workers of [0, 1, 2]) {
    await session.start(`busy-${workers}`, { workers });
    const operation = `eight busy virtual clusters, ${['on the main thread', '1 worker', '2 workers'][workers]}`;
    const options = { namespace: 'busy', planes, clientsPerPlane: 2, listed: listedObjects, seconds: busySeconds };
    const measured = await session.measure(operation, 'usePlanes', options);
    figures.set(workers, measured);
    session.note(`busy-${workers}`, operation, { ...measured, share: (100 * measured.rate) / figures.get(0).rate });
  }
}
