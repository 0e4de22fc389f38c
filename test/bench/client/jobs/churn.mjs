import { setTimeout as sleep } from 'node:timers/promises';
import { closeClients, openClients } from '../api-client.mjs';
import { Arrivals } from '../arrivals.mjs';
import { collectionOf } from '../collection.mjs';
import { figuresOf, measured } from '../measured.mjs';
import { spread } from '../spread.mjs';
import { keepWatching, numberBehind } from '../watcher.mjs';

const writesPerObject = 4;

/**
 * Creates instances, patches each twice and deletes them while several clients watch. The lag of an event counts from
 * the moment its write was sent, so the lag includes the durable write. `perSecond` limits the writes of all writers
 * together.
 */
export async function churn(target, { namespace, watches, writers: count, objects, perSecond }) {
  const prefix = 'churn';
  const collection = collectionOf(target, namespace, prefix);
  const numberOf = numberBehind(Buffer.from(`"name":"${prefix}-`));
  const sent = new Float64Array(objects * writesPerObject);
  const arrivals = new Arrivals(watches * objects * writesPerObject);
  const writers = await openClients(target, count);
  const readers = await openClients(target, watches);
  const revision = await collection.revision(writers[0]);
  const watchers = readers.map((client) => {
    const seen = new Uint8Array(objects);
    return keepWatching(collection, client, (line, now) => {
      const object = numberOf(line);
      if (object >= 0) arrivals.note(now - sent[object * writesPerObject + seen[object]++], now);
    });
  });
  await Promise.all(watchers.map((each) => each.open(revision)));
  const failIfBroken = () => {
    for (const each of watchers) each.failIfBroken();
  };

  const taken = await measured(target, async () => {
    const times = await writeAll(collection, writers, { objects, sent, perSecond });
    const writeSeconds = (performance.now() - sent[0]) / 1000;
    await arrivals.all(failIfBroken);
    return { times, writeSeconds };
  });
  for (const each of watchers) each.close();
  closeClients([...writers, ...readers]);
  const { times, writeSeconds } = taken.result;
  const resumed = watchers.reduce((sum, { counts }) => sum + counts.resumed, 0);
  return {
    writes: figuresOf({ ...taken, seconds: writeSeconds }, times.length, times),
    events: { ...arrivals.figures(taken), ...(resumed > 0 ? { resumed } : {}) },
  };
}

async function writeAll(collection, writers, { objects, sent, perSecond }) {
  const times = [];
  const turns = perSecond === undefined ? undefined : turnsOf(writers, 1000 / perSecond);
  await spread(writers, { count: objects }, async (client, object) => {
    const steps = [
      () => collection.create(client, object),
      () => collection.merge(client, object, 'changed once'),
      () => collection.merge(client, object, 'changed twice'),
      () => collection.remove(client, object),
    ];
    for (const [at, step] of steps.entries()) {
      await turns?.(client);
      const begun = performance.now();
      sent[object * writesPerObject + at] = begun;
      await step();
      times.push(performance.now() - begun);
    }
  });
  return times;
}

/**
 * Returns a function that waits for the next turn of a writer. The turns are `apart` milliseconds apart: simultaneous
 * writes would measure how the writers wait for each other.
 */
function turnsOf(writers, apart) {
  const begun = performance.now();
  const due = new Map(writers.map((writer, at) => [writer, begun + at * apart]));
  return async (writer) => {
    const wait = due.get(writer) - performance.now();
    due.set(writer, due.get(writer) + Math.max(writers.length * apart, -wait));
    if (wait > 0) await sleep(wait);
  };
}
