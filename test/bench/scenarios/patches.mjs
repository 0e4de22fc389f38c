/** Measures one merge patch of each object, then one apply of each object. */
export async function patches(session) {
  const { objects, mostSeconds } = session.sizes;
  await session.startPrepared('usual');
  await session.fill('objects', objects);
  for (const [verb, title] of [
    ['merge', 'merge patch'],
    ['apply', 'apply'],
  ]) {
    const operation = `${title}, 10 clients, ${objects.toLocaleString('en')} objects`;
    const options = { verb, namespace: 'objects', clients: 10, objects, seconds: mostSeconds };
    session.note(verb, operation, await session.measure(operation, 'write', options));
  }
}
