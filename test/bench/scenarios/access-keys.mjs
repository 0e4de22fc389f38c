import { idleMemory } from './start.mjs';

/** Access keys, few and a hundred thousand: what a get takes with one of them, making one, and taking one back. */
export async function accessKeys(session) {
  if (!session.makesKeys) return;
  const { sizes } = session;
  await session.startPrepared('keys');
  await session.fill('keys', sizes.gotObjects);
  const [token] = await session.keys(1);
  const options = {
    namespace: 'keys',
    clients: 10,
    objects: sizes.gotObjects,
    calls: sizes.gets,
    seconds: sizes.mostSeconds,
    tokens: [token],
  };
  // As many as are measured: what the server has compiled by then, the second measurement finds ready.
  await session.run('read', options);
  const ofFew = 'get, 10 clients, with one of 2 keys';
  const few = await session.measure(ofFew, 'read', options);
  session.note('get-few-keys', ofFew, few);

  const create = { prefix: 'many', clients: 10, calls: sizes.manyKeys };
  const making = `create an access key, 10 clients, up to ${sizes.manyKeys}`;
  session.note('key-create', making, await session.measure(making, 'createKeys', create));

  const ofMany = `get, 10 clients, with one of ${sizes.manyKeys} keys`;
  const many = await session.measure(ofMany, 'read', options);
  const slower = Math.max(0, 100 * (many.serverCpu / few.serverCpu - 1));
  session.note('get-of-many-keys', ofMany, { ...many, slower });

  const revoking = 'from the deletion of a key to its first 401';
  const figures = await session.measure(revoking, 'revokeKeys', { calls: sizes.revokedKeys });
  session.note('key-revoke', revoking, { p50: figures.p50, p99: figures.p99, disturbed: figures.disturbed });

  const { figures: started } = await session.restart();
  const memory = await idleMemory(session, 'keys');
  session.note('key-start', `start with ${sizes.manyKeys} keys, and idle`, { ...started, memory });
}
