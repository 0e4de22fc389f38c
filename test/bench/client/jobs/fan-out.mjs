import { setTimeout as sleep } from 'node:timers/promises';
import { mebibytes } from '../../figures.mjs';
import { residentBytes } from '../../process-figures.mjs';
import { closeClients, openClients } from '../api-client.mjs';
import { Arrivals } from '../arrivals.mjs';
import { collectionOf } from '../collection.mjs';
import { measured } from '../measured.mjs';
import { keepWatching, numberBehind } from '../watcher.mjs';

const mark = 'change-';

/**
 * One writer and many watchers of one collection, each on its own connection; one write per interval. If the target has
 * several replicas, the writer uses the first one and the watchers use the others.
 */
export async function fanOut(target, { namespace, prefix, watchers: count, writes, everyMilliseconds }) {
  const collection = collectionOf(target, namespace, prefix);
  const [writer] = await openClients(target, 1);
  const revision = await collection.revision(writer);
  const memoryBefore = residentBytes(target.pids);
  const { urls = [] } = target;
  const readers = await openClients(urls.length > 1 ? { ...target, urls: urls.slice(1) } : target, count);
  const sent = new Float64Array(writes);
  const arrivals = new Arrivals(count * writes);
  const numberOf = numberBehind(Buffer.from(`"displayName":"${mark}`));
  const watchers = readers.map((client) =>
    keepWatching(collection, client, (line, now) => {
      const number = numberOf(line);
      if (number >= 0) arrivals.note(now - sent[number], now);
    }),
  );
  await Promise.all(watchers.map((each) => each.open(revision)));
  const growth = mebibytes(Math.max(0, residentBytes(target.pids) - memoryBefore));

  const taken = await measured(target, async () => {
    for (let number = 0; number < writes; number++) {
      sent[number] = performance.now();
      await collection.merge(writer, 0, `${mark}${String(number).padStart(6, '0')}`);
      await sleep(Math.max(0, sent[number] + everyMilliseconds - performance.now()));
    }
    await arrivals.all(() => {
      for (const each of watchers) each.failIfBroken();
    });
  });
  for (const each of watchers) each.close();
  closeClients([writer, ...readers]);
  const resumed = watchers.reduce((sum, { counts }) => sum + counts.resumed, 0);
  const { rate: _, ...figures } = arrivals.figures(taken);
  return { ...figures, growth, ...(resumed > 0 ? { resumed } : {}) };
}
