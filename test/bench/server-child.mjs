// The server, as a child process that tells its memory and processor time when it is asked. Arguments: the program, then its own.
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [node, , program, ...args] = process.argv;

/** Several rounds, as what one collection frees (sockets, streams) lets go of more only a turn later. */
async function memoryAfterCollection() {
  for (let round = 0; round < 4; round++) {
    globalThis.gc();
    await sleep(50);
  }
  return process.memoryUsage();
}

const answers = { memory: memoryAfterCollection, processor: async () => process.cpuUsage() };

process.on('message', (question) => answers[question]().then((answer) => process.send(answer)));
// Whether somebody may still ask must not keep a server alive that has ended.
process.channel.unref();

const { main } = await import(pathToFileURL(program).href);
await main([node, program, ...args]);
