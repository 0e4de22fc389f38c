import { closeAll, connectMany } from '../connect.mjs';
import { createMany, instancesOf } from '../instances.mjs';
import { startServer } from '../server.mjs';
import { megabytes } from '../table.mjs';

const cycles = 8;
const objectsPerCycle = 2500;
const watchesPerCycle = 500;

/** Things made and unmade again and again: after a few rounds of warming up, memory should stay where it is. */
export async function leaks(options) {
  const { parts, signal } = options;
  const server = await startServer(options);
  const instances = instancesOf(parts, parts.defaultProject);
  const rows = [];
  const note = async (operation) => {
    signal.throwIfAborted();
    const { rss, heapUsed, external } = await server.memory();
    const text = `RSS ${megabytes(rss)}, heap ${megabytes(heapUsed)}, external ${megabytes(external)}`;
    rows.push({ operation, memory: text });
  };
  try {
    await note('leaks, just started');
    for (let cycle = 1; cycle <= cycles; cycle++) {
      await createAndDelete(cycle);
      await note(`leaks, ${cycle * objectsPerCycle} objects created and deleted`);
    }
    for (let cycle = 1; cycle <= 4; cycle++) {
      await openAndClose(cycle % 2 === 0 ? 'HTTP/1.1' : 'HTTP/2', cycle % 2 === 0 ? 100 : 5);
      await note(`leaks, ${cycle * watchesPerCycle} watches opened and closed`);
    }
    return rows;
  } finally {
    await server.stop();
  }

  async function createAndDelete(cycle) {
    const clients = connectMany('HTTP/2', server, 32);
    const names = await createMany(instances, clients, objectsPerCycle, `cycle${cycle}`, signal);
    await Promise.all(
      clients.map(async (client) => {
        for (let name = names.pop(); name !== undefined; name = names.pop()) await instances.remove(client, name);
      }),
    );
    await closeAll(clients);
  }

  async function openAndClose(protocol, connections) {
    for (let opened = 0; opened < watchesPerCycle; opened += 100) {
      const clients = connectMany(protocol, server, connections);
      const streams = await Promise.all(
        Array.from({ length: 100 }, (_, at) => instances.watch(clients[at % connections], () => {})),
      );
      for (const stream of streams) stream.close();
      await closeAll(clients);
    }
  }
}
