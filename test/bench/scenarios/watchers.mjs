import { kilobytesOf } from '../figures.mjs';

/** Measures many watchers of one collection, each on its own connection, with five writes per second. */
export async function watchers(session) {
  const { sizes } = session;
  await session.startPrepared('usual');
  await session.fill('watched', 1);
  // Without a restart, memory left by earlier work would hide the memory of the watches.
  await session.restart();
  await session.settle('watched');
  const operation = `${sizes.watchers.toLocaleString('en')} watchers, 5 writes a second`;
  const options = {
    namespace: 'watched',
    watchers: sizes.watchers,
    writes: sizes.fanOutWrites,
    everyMilliseconds: 200,
  };
  const measured = await session.measure(operation, 'fanOut', options);
  session.note('watchers', operation, { ...measured, perWatch: kilobytesOf(measured.growth) / sizes.watchers });
}
