import { setTimeout as sleep } from 'node:timers/promises';
import { closeAll, connectMany } from '../connect.mjs';
import { createMany, instancesOf } from '../instances.mjs';
import { timesRow } from '../measure.mjs';
import { startServer } from '../server.mjs';

const watchers = 200;
const connections = 10;

/**
 * One writer, many watchers: how long after a write was sent each of them has its event (the write itself, durable,
 * is part of that), at an even pace and as fast as the writer can.
 */
export async function watchFanOut(options) {
  const { parts, signal } = options;
  const server = await startServer(options);
  try {
    const instances = instancesOf(parts, parts.defaultProject);
    const [writer] = connectMany('HTTP/2', server, 1);
    const clients = connectMany('HTTP/2', server, connections);
    const [name] = await createMany(instances, [writer], 1, 'watched', signal);
    const arrivals = new Map();
    const streams = await Promise.all(
      Array.from({ length: watchers }, (_, index) => instances.watch(clients[index % connections], reader(arrivals))),
    );
    const write = async (operation, writes, pauseMilliseconds) => {
      const sent = new Map();
      arrivals.clear();
      const began = performance.now();
      for (let number = 0; number < writes; number++) {
        signal.throwIfAborted();
        const mark = `${operation} ${number}`;
        sent.set(mark, performance.now());
        await instances.patch(writer, name, mark);
        if (pauseMilliseconds > 0) await sleep(pauseMilliseconds);
      }
      const deadline = performance.now() + 10_000;
      while (arrived(arrivals) < writes * watchers) {
        if (performance.now() > deadline) throw new Error(`${arrived(arrivals)} of ${writes * watchers} events came`);
        await sleep(5);
      }
      const last = Math.max(...[...arrivals.values()].map((times) => times.at(-1)));
      const latencies = [...arrivals].flatMap(([mark, times]) => times.map((at) => at - sent.get(mark)));
      return timesRow(operation, latencies, (last - began) / 1000);
    };
    const run = async (operation, writes, pauseMilliseconds) => {
      const usedBefore = await server.processorTime();
      const row = await server.profiled(operation, () => write(operation, writes, pauseMilliseconds));
      return { ...row, cpu: ((await server.processorTime()) - usedBefore) / (writes * watchers) };
    };
    await write('warm-up', 20, 0);
    const rows = [
      await run(`watch event, 1 writer (20/s), ${watchers} watchers`, 60, 50),
      await run(`watch event, 1 writer (unpaced), ${watchers} watchers`, 150, 0),
    ];
    for (const stream of streams) stream.close();
    await closeAll([writer, ...clients]);
    return rows;
  } finally {
    await server.stop();
  }
}

function arrived(arrivals) {
  let events = 0;
  for (const times of arrivals.values()) events += times.length;
  return events;
}

/** Reads a stream's lines; notes when the event of which write has come. */
function reader(arrivals) {
  let rest = '';
  return (chunk) => {
    const now = performance.now();
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const mark = /"displayName":"([^"]*)"/.exec(line)?.[1] ?? '';
      const times = arrivals.get(mark);
      if (times === undefined) arrivals.set(mark, [now]);
      else times.push(now);
    }
  };
}
