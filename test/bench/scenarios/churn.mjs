import { middleBy } from '../figures.mjs';

/**
 * The number of turns into which the churn is split. Without turns, the churn takes half a minute on one side and three
 * minutes on the other side, and the machine's speed varies in this time.
 */
const fastTurns = 5;

/** Watches under churn: as fast as ten writers can, and at a rate that any server sustains. */
export async function churn(session) {
  const { sizes } = session;
  await session.startPrepared('usual');
  await session.fill('churn', 0);
  const usual = { namespace: 'churn', watches: sizes.watches, writers: 10 };
  // Warms up until the servers have compiled the code for creates, patches, deletes and watches.
  await session.run('churn', { ...usual, objects: sizes.warmUps });
  const fast = `${sizes.watches} watches, ${sizes.objects.toLocaleString('en')} objects × 4 writes, 10 writers`;
  const objects = Math.ceil(sizes.objects / fastTurns);
  const turns = [];
  for (let turn = 1; turn <= fastTurns; turn++) {
    // A server is slow for a second after a pause, so each later turn starts with a warm-up.
    if (turn > 1) await session.run('churn', { ...usual, objects: Math.ceil(objects / 4) });
    turns.push(await session.measure(`${fast} (${turn})`, 'churn', { ...usual, objects }));
  }
  note('churn', fast, middleTurn(turns));
  const slow = `${sizes.watches} watches, 200 writes a second`;
  const paced = { ...usual, objects: sizes.pacedObjects, perSecond: 200 };
  note('paced', slow, await session.measure(slow, 'churn', paced));

  function note(id, operation, { writes, events }) {
    session.note(`${id}-writes`, `${operation}: the writes`, writes);
    session.note(`${id}-events`, `${operation}: the events`, events);
  }
}

/** Returns the turn with the median p99 of the lag. Its `delivered` figure is the lowest of all turns. */
function middleTurn(turns) {
  const { writes, events } = middleBy(turns, (turn) => turn.events.p99);
  return { writes, events: { ...events, delivered: Math.min(...turns.map((turn) => turn.events.delivered)) } };
}
