import { closeClients, openClients } from '../api-client.mjs';
import { measured, processorFigures } from '../measured.mjs';

const mebibyte = 1024 * 1024;

/** Reads one long response. The result contains the CPU time per mebibyte. */
export async function download(target, { path, bytes }) {
  const clients = await openClients(target, 1);
  const taken = await measured(target, () => lengthOf(clients[0], path));
  closeClients(clients);
  if (taken.result !== bytes) throw new Error(`${path}: ${taken.result} bytes instead of ${bytes}`);
  const { seconds, disturbed, growthBytes } = taken;
  const figures = processorFigures(taken, bytes / mebibyte);
  return { seconds, throughput: bytes / 1e6 / seconds, growth: growthBytes / mebibyte, ...figures, disturbed };
}

function lengthOf(client, path) {
  return new Promise((resolve, reject) => {
    let received = 0;
    const onData = (chunk) => {
      received += chunk.length;
    };
    client.watch(path, { onData, onEnd: () => resolve(received) }).catch(reject);
  });
}
