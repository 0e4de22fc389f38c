// The server, as a child process that answers questions about itself. Arguments: the program, then its own.
import { writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [node, , program, ...args] = process.argv;
const inspector = new Session();
inspector.connect();

const answers = {
  /** Several rounds, as what one collection frees (sockets, streams) lets go of more only a turn later. */
  async memory() {
    for (let round = 0; round < 4; round++) {
      globalThis.gc();
      await sleep(50);
    }
    return process.memoryUsage();
  },
  processor: async () => process.cpuUsage(),
  async startProfile() {
    await inspector.post('Profiler.enable');
    await inspector.post('Profiler.start');
    return {};
  },
  async stopProfile(file) {
    const { profile } = await inspector.post('Profiler.stop');
    await writeFile(file, JSON.stringify(profile));
    return {};
  },
};

process.on('message', ({ question, about }) => answers[question](about).then((answer) => process.send(answer)));
// Whether somebody may still ask must not keep a server alive that has ended.
process.channel.unref();

const { main } = await import(pathToFileURL(program).href);
await main([node, program, ...args]);
