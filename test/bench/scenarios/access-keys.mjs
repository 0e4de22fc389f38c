import { median, middleBy } from '../figures.mjs';
import { idleMemory } from './start.mjs';

/**
 * The number of turns. The speed of a shared machine varies over minutes; within a turn, the speed is the same for both
 * servers.
 */
const turns = 10;

/**
 * Measures a few access keys and a hundred thousand access keys: creation, revocation, and the cost of a get with one
 * of the keys.
 */
export async function accessKeys(session) {
  if (!session.makesKeys) return;
  const { sizes } = session;
  await session.startPrepared('keys');
  const create = { prefix: 'many', clients: 10, calls: sizes.manyKeys };
  const making = `create an access key, 10 clients, up to ${sizes.manyKeys}`;
  session.note('key-create', making, await session.measure(making, 'createKeys', create));

  const revoking = 'from the deletion of a key to its first 401';
  const figures = await session.measure(revoking, 'revokeKeys', { calls: sizes.revokedKeys });
  session.note('key-revoke', revoking, { p50: figures.p50, p99: figures.p99, disturbed: figures.disturbed });

  const { figures: started } = await session.restart();
  const memory = await idleMemory(session, 'keys');
  session.note('key-start', `start with ${sizes.manyKeys} keys, and idle`, { ...started, memory });

  const beside = session.another();
  try {
    await beside.startPrepared('few-keys');
    await noteGets(session, beside);
  } finally {
    await beside.stop();
  }
}

/** Sends the same gets in turn to two servers, one with very many keys and one with two. */
async function noteGets(many, few) {
  const { sizes } = many;
  const get = async (session) => {
    await session.fill('keys', sizes.gotObjects);
    const options = { namespace: 'keys', clients: 10, objects: sizes.gotObjects, seconds: sizes.mostSeconds };
    const tokens = await session.keys(1);
    // Warms up with as many gets as are measured, so the server has compiled its hot code before the measurement.
    await session.run('read', { ...options, tokens, calls: sizes.gets });
    return (operation) =>
      session.measure(operation, 'read', { ...options, tokens, calls: Math.ceil(sizes.gets / turns) });
  };
  const ofFew = 'get, 10 clients, with one of 2 keys';
  const ofMany = `get, 10 clients, with one of ${sizes.manyKeys} keys`;
  const getFew = await get(few);
  const getMany = await get(many);
  const pairs = [];
  for (let turn = 1; turn <= turns; turn++) {
    const one = await getFew(`${ofFew}, turn ${turn}`);
    pairs.push({ few: one, many: await getMany(`${ofMany}, turn ${turn}`) });
  }
  many.note('get-few-keys', ofFew, middle(pairs.map((pair) => pair.few)));
  const slower = 100 * (median(pairs.map((pair) => pair.many.serverCpu / pair.few.serverCpu)) - 1);
  many.note('get-of-many-keys', ofMany, { ...middle(pairs.map((pair) => pair.many)), slower: Math.max(0, slower) });
}

const middle = (figures) => middleBy(figures, ({ serverCpu }) => serverCpu);
