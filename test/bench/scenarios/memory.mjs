import { closeAll, connectMany } from '../connect.mjs';
import { createMany, instancesOf } from '../instances.mjs';
import { startServer } from '../server.mjs';
import { megabytes } from '../table.mjs';

const objects = 10_000;
const watches = 1000;

/** What a server holds when it is empty, full of objects, and full of watches that have nothing to tell. */
export async function memory(options) {
  const { parts, signal } = options;
  const server = await startServer(options);
  const rows = [];
  const note = async (operation) => {
    signal.throwIfAborted();
    const { rss, heapUsed } = await server.memory();
    rows.push({ operation, memory: `RSS ${megabytes(rss)}, heap ${megabytes(heapUsed)}` });
  };
  try {
    const instances = instancesOf(parts, parts.defaultProject);
    await note('memory, just started');
    const creators = connectMany('HTTP/2', server, 32);
    await createMany(instances, creators, objects, 'object', signal);
    await closeAll(creators);
    await note(`memory, ${objects} objects`);
    await watched('HTTP/2', 10);
    await watched('HTTP/1.1', watches);
    await note('memory, watches closed');
    return rows;
  } finally {
    await server.stop();
  }

  async function watched(protocol, connections) {
    const clients = connectMany(protocol, server, connections);
    const instances = instancesOf(parts, parts.defaultProject);
    const streams = [];
    for (let opened = 0; opened < watches; opened += 100) {
      const some = Array.from({ length: 100 }, (_, at) => clients[(opened + at) % connections]);
      streams.push(...(await Promise.all(some.map((client) => instances.watch(client, () => {})))));
    }
    await note(`memory, the same and ${watches} idle watches, ${protocol}, ${connections} connections`);
    for (const stream of streams) stream.close();
    await closeAll(clients);
  }
}
