/** One delete of each object. */
export async function deletes(session) {
  const { objects } = session.sizes;
  await session.startPrepared('usual');
  await session.fill('objects', objects);
  const operation = `delete, 10 clients, ${objects.toLocaleString('en')} objects`;
  const options = { verb: 'delete', namespace: 'objects', clients: 10, objects, seconds: 120 };
  const figures = await session.measure(operation, 'write', options);
  session.forget('objects');
  const isWhole = figures.count === objects;
  session.note('delete', operation, { ...figures, ...(isWhole ? { milliseconds: 1000 * figures.seconds } : {}) });
}
