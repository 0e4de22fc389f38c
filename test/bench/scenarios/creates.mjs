/** Durable creates, from few clients and from many. */
export async function creates(session) {
  const { sizes } = session;
  await session.startPrepared('usual');
  await session.fill('warm-up', sizes.warmUps);
  for (const clients of sizes.creators) {
    const namespace = `creates-${clients}`;
    await session.fill(namespace, 0);
    const operation = `create, ${clients} client${clients === 1 ? '' : 's'}`;
    const options = { verb: 'create', namespace, clients, objects: sizes.mostCreates, seconds: sizes.createSeconds };
    session.note(`create-${clients}`, operation, await session.measure(operation, 'write', options));
  }
}
