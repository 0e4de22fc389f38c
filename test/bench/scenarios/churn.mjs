/** Watches under churn: as fast as ten writers can, and at a pace that any server keeps up with. */
export async function churn(session) {
  const { sizes } = session;
  await session.startPrepared('usual');
  await session.fill('churn', 0);
  const usual = { namespace: 'churn', watches: sizes.watches, writers: 10 };
  // The same for as long as the servers' code is being compiled for it: to create, to patch, to delete and to watch.
  await session.run('churn', { ...usual, objects: sizes.warmUps });
  const fast = `${sizes.watches} watches, ${sizes.objects.toLocaleString('en')} objects × 4 writes, 10 writers`;
  await note('churn', fast, { ...usual, objects: sizes.objects });
  const slow = `${sizes.watches} watches, 200 writes a second`;
  await note('paced', slow, { ...usual, objects: sizes.pacedObjects, perSecond: 200 });

  async function note(id, operation, options) {
    const { writes, events } = await session.measure(operation, 'churn', options);
    session.note(`${id}-writes`, `${operation}: the writes`, writes);
    session.note(`${id}-events`, `${operation}: the events`, events);
  }
}
