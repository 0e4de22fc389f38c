const loads = [
  ['create', 256, 'creates from 256 connections'],
  ['get', 256, 'gets from 256 connections'],
  ['list', 64, 'lists of everything from 64 connections'],
];

/**
 * Measures how a key that sends as many requests as possible affects another key: single requests with and without this
 * load.
 */
export async function fairness(session) {
  if (!session.makesKeys) return;
  const { sizes } = session;
  await session.startPrepared('fair');
  await session.fill('objects', sizes.objects);
  await session.fill('own', 1);
  const tokens = await session.keys(2);
  for (const [verb, clients, title] of loads) {
    const options = { verb, clients, namespace: 'objects', objects: sizes.objects, seconds: sizes.fairSeconds, tokens };
    const operation = `beside ${title}`;
    const found = await session.measure(operation, 'fairness', {
      ...options,
      ownNamespace: 'own',
      prefix: `fair-${verb}`,
    });
    for (const [own, figures] of Object.entries(found)) {
      session.note(`fair-${verb}-${own}`, `${own}, ${operation}`, figures);
    }
  }
}
