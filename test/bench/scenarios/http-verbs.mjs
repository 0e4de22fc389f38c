import { closeAll, connectMany, protocols } from '../connect.mjs';
import { createMany, instancesOf } from '../instances.mjs';
import { measure } from '../measure.mjs';
import { startServer } from '../server.mjs';

const seeded = 1000;

/** Every verb over both protocols, one client and many. Lists are of a namespace with a thousand objects. */
export async function httpVerbs(options) {
  const { parts, signal } = options;
  const server = await startServer(options);
  const rows = [];
  try {
    const seeds = instancesOf(parts, 'seeds');
    const seeders = connectMany('HTTP/2', server, 8);
    await seeds.createProject(seeders[0]);
    const names = await createMany(seeds, seeders, seeded, 'seed', signal);
    await closeAll(seeders);
    for (const protocol of Object.keys(protocols)) {
      for (const workers of [1, 32]) {
        const clients = connectMany(protocol, server, workers);
        const of = `${protocol}, ${workers} client${workers === 1 ? '' : 's'}`;
        rows.push(...(await verbs({ of, server, parts, clients, seeds, names, signal })));
        await closeAll(clients);
      }
    }
    return rows;
  } finally {
    await server.stop();
  }
}

async function verbs({ of, server, parts, clients, seeds, names, signal }) {
  const limits = { workers: clients.length, signal, server };
  const seed = (number) => names[(number * 7) % names.length];
  const fresh = instancesOf(parts, parts.defaultProject);
  let created = 0;
  const rows = [
    await measure(`create, ${of}`, { ...limits, calls: 3000 }, (number, worker) => {
      created = Math.max(created, number + 1);
      return fresh.create(clients[worker], `new-${number}`);
    }),
    await measure(`get, ${of}`, limits, (number, worker) => seeds.get(clients[worker], seed(number))),
    await measure(`list 1000, ${of}`, limits, (_, worker) => seeds.list(clients[worker])),
    await measure(`list 1000 gzip, ${of}`, limits, (_, worker) =>
      seeds.list(clients[worker], { 'accept-encoding': 'gzip' }),
    ),
    await measure(`patch, ${of}`, limits, (number, worker) =>
      seeds.patch(clients[worker], seed(number), `patched ${of} ${number}`),
    ),
    await measure(`apply, ${of}`, limits, (number, worker) =>
      seeds.apply(clients[worker], seed(number), `applied ${of} ${number}`),
    ),
    await measure(`delete, ${of}`, { ...limits, calls: created }, (number, worker) =>
      fresh.remove(clients[worker], `new-${number}`),
    ),
  ];
  await fresh.removeAll(clients[0]);
  return rows;
}
