import { writeFileSync } from 'node:fs';
import { WebSocket } from 'ws';

/** Connects to the inspector of a running Node process. */
export async function attachProfiler(url) {
  const socket = new WebSocket(url, { maxPayload: 1024 ** 3 });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const waiting = new Map();
  let next = 1;
  socket.on('message', (text) => {
    const { id, result, error } = JSON.parse(text);
    const settle = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) settle?.resolve(result);
    else settle?.reject(new Error(error.message));
  });
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the inspector is gone'));
  });
  const post = (method, params = {}) =>
    new Promise((resolve, reject) => {
      waiting.set(next, { resolve, reject });
      socket.send(JSON.stringify({ id: next++, method, params }));
    });
  await post('Profiler.enable');
  await post('HeapProfiler.enable');
  return {
    /** Runs a function and writes a CPU profile of it. */
    async time(file, run) {
      await post('Profiler.start');
      const result = await run();
      writeFileSync(file, JSON.stringify((await post('Profiler.stop')).profile));
      return result;
    },
    /** Runs a function and writes an allocation profile of it, including collected objects. */
    async allocations(file, run) {
      const flags = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
      await post('HeapProfiler.startSampling', flags);
      const result = await run();
      writeFileSync(file, JSON.stringify((await post('HeapProfiler.stopSampling')).profile));
      return result;
    },
    /** The bytes of the live heap. */
    async liveHeap() {
      await post('HeapProfiler.collectGarbage');
      return (await post('Runtime.getHeapUsage')).usedSize;
    },
    close: () => socket.close(),
  };
}
