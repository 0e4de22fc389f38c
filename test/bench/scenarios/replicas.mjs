/**
 * Measures the same operations for each way to store objects: in the process, in an etcd shared by one to three
 * replicas, and through kube-apiserver in the same etcd. Clients use the replicas in turn.
 */
export async function replicas(session) {
  await session.startPrepared('replicas');
  await session.fill('warm-up', session.sizes.warmUps);
  await writes(session);
  await reads(session);
  await lag(session);
  const operation = 'no requests';
  session.note('idle', operation, await session.measure(operation, 'rest', { seconds: session.sizes.idleSeconds }));
}

async function writes(session) {
  const { sizes } = session;
  for (const clients of [1, 10, 64]) {
    const namespace = `creates-${clients}`;
    await session.fill(namespace, 0);
    const options = { verb: 'create', namespace, clients, objects: sizes.mostCreates, seconds: sizes.createSeconds };
    await note(session, `create-${clients}`, `create, ${clientsOf(clients)}`, ['write', options]);
  }
  const objects = 3 * sizes.gotObjects;
  await session.fill('merged', objects);
  const options = { verb: 'merge', namespace: 'merged', clients: 10, objects };
  await note(session, 'merge-10', 'merge patch, 10 clients', ['write', options]);
}

async function reads(session) {
  const { sizes } = session;
  const objects = sizes.gotObjects;
  await session.fill('read', objects);
  const tokens = await session.keys(1);
  const gets = { namespace: 'read', objects, calls: sizes.gets, seconds: sizes.createSeconds, tokens };
  const query = '?resourceVersion=0';
  for (const clients of [1, 10]) {
    const operation = `get, ${clientsOf(clients)}`;
    await note(session, `get-${clients}`, operation, ['read', { ...gets, clients }]);
    await note(session, `cached-get-${clients}`, `${operation}, any state`, ['read', { ...gets, clients, query }]);
  }
  const lists = { namespace: 'read', objects, repeats: sizes.smallLists, seconds: sizes.createSeconds };
  const operation = `list of ${objects.toLocaleString('en')}`;
  await note(session, 'list', operation, ['list', { ...lists, form: 'whole' }]);
  await note(session, 'cached-list', `${operation}, any state`, ['list', { ...lists, form: 'cached' }]);
}

/** Measures the watch lag with few watchers and paced writes, so the lag includes no queueing. */
async function lag(session) {
  const { sizes } = session;
  await session.fill('watched', 1);
  const options = { namespace: 'watched', watchers: 10, writes: sizes.pacedWrites, everyMilliseconds: 50 };
  await note(session, 'watch', '10 watches at another replica, 20 writes a second', ['fanOut', options]);
}

async function note(session, id, operation, [job, options]) {
  const { growth: _, ...figures } = await session.measure(operation, job, options);
  session.note(id, operation, figures);
}

const clientsOf = (count) => `${count} client${count === 1 ? '' : 's'}`;
