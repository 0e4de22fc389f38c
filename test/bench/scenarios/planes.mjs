import { folderBytes } from '../process-figures.mjs';
import { idleMemory } from './start.mjs';

/**
 * Measures virtual clusters of the built-in cluster: the time until the first response, and the cost of many unused
 * ones.
 */
export async function planes(session) {
  if (!session.hasPlanes) return;
  const { sizes } = session;
  await session.start('planes');
  // Warms up, so that the server compiles its hot code before the measurement.
  await session.run('makePlanes', { namespace: 'warm-up', calls: sizes.planeWarmUps, clients: 4, ask: true });

  const first = 'create a virtual cluster, until its first response';
  const options = { namespace: 'answering', calls: sizes.askedPlanes, clients: 1, ask: true };
  session.note('plane-first', first, await session.measure(first, 'makePlanes', options));

  const count = sizes.planes.toLocaleString('en');
  const before = folderBytes(session.storeFolder);
  const making = `create ${count} virtual clusters, 10 clients`;
  const made = await session.measure(making, 'makePlanes', { namespace: 'many', calls: sizes.planes, clients: 10 });
  session.note('plane-create', making, made);
  await session.settle();
  await session.restart();
  const disk = (folderBytes(session.storeFolder) - before) / sizes.planes / 1000;
  const memory = await idleMemory(session);
  session.note('planes-idle', `${count} unused virtual clusters`, { memory, disk });

  const away = `first request to one of ${count} unloaded virtual clusters`;
  const asked = { namespace: 'many', planes: sizes.planes, calls: sizes.askedPlanes };
  session.note('plane-away', away, await session.measure(away, 'askPlanes', asked));

  await session.start('plane-churn', { inspect: true });
  await rounds(session);
}

/**
 * Measures the live heap after each round, when all virtual clusters of the round are deleted. The growth of the live
 * heap counts from the second round, because the first rounds fill caches that are filled only once. Memory that is
 * unused but not yet returned by the engine does not matter.
 */
async function rounds(session) {
  const { planeRounds, roundPlanes } = session.sizes;
  const operation = `${roundPlanes.toLocaleString('en')} virtual clusters created and removed, ${planeRounds} rounds`;
  const held = [];
  let figures;
  for (let round = 0; round < planeRounds; round++) {
    const options = { namespace: `round-${round}`, calls: roundPlanes, clients: 10 };
    figures = await session.measure(`${operation} (${round + 1})`, 'churnPlanes', options);
    await session.settle();
    held.push(await session.liveHeap());
  }
  const growth = Math.max(0, (held.at(-1) ?? 0) - (held[1] ?? held[0] ?? 0));
  session.note('plane-rounds', operation, { ...figures, growth });
}
