/** Measures gets, with one key and with many different keys. */
export async function gets(session) {
  const { sizes } = session;
  await session.startPrepared('usual');
  await session.fill('gets', sizes.gotObjects);
  const keys = await session.keys(sizes.keys);
  const options = {
    namespace: 'gets',
    clients: 10,
    objects: sizes.gotObjects,
    calls: sizes.gets,
    seconds: sizes.mostSeconds,
  };
  for (const [id, tokens] of Object.entries({ 'get-one-key': keys.slice(0, 1), 'get-many-keys': keys })) {
    const operation = `get, 10 clients, ${tokens.length} key${tokens.length === 1 ? '' : 's'}`;
    session.note(id, operation, await session.measure(operation, 'read', { ...options, tokens }));
  }
}
