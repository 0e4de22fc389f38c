import { lineReader } from './line-reader.mjs';

/**
 * A watch that is taken up again where it ended, as an informer does. `onLine` gets each event's line and the time at
 * which it was there. Counts how often it had to be taken up, and how often the server no longer knew from where.
 */
export function keepWatching(collection, client, onLine) {
  const counts = { resumed: 0, expired: 0 };
  /** A line is gone when it has been looked at: the last one is kept here, so much of it. */
  let kept = Buffer.alloc(4096);
  let last = 0;
  let stream;
  let isOver = false;
  let failed;

  const read = (line) => {
    if (line.length > kept.length) kept = Buffer.alloc(2 * line.length);
    last = line.copy(kept);
    onLine(line, performance.now());
  };
  const open = async (revision) => {
    stream = await collection.watch(client, revision, { onData: lineReader(read), onEnd: () => resume(revision) });
  };
  const resume = (revision) => {
    if (isOver) return;
    counts.resumed++;
    again(revision).catch((error) => {
      failed = error;
    });
  };
  const again = async (revision) => {
    const event = last === 0 ? undefined : JSON.parse(kept.subarray(0, last));
    if (event?.type === 'ERROR') counts.expired++;
    const isKnown = event !== undefined && event.type !== 'ERROR';
    last = 0;
    await open(
      isKnown
        ? event.object.metadata.resourceVersion
        : event === undefined
          ? revision
          : await collection.revision(client),
    );
  };
  return {
    counts,
    open,
    failIfBroken() {
      if (failed !== undefined) throw failed;
    },
    close() {
      isOver = true;
      stream?.close();
    },
  };
}

/**
 * What reads the six digits behind a mark; -1 where the mark is not. It stands in one of a few places as a rule: to
 * search each line took a sixth of the client's time, which is the servers' time, too.
 */
export function numberBehind(mark) {
  const places = [];
  return (line) => {
    let at = places.find((place) => isAt(line, place, mark));
    if (at === undefined) {
      at = line.indexOf(mark);
      if (at === -1) return -1;
      places.unshift(at);
      if (places.length > mostPlaces) places.pop();
    }
    let number = 0;
    for (let digit = at + mark.length; digit < at + mark.length + 6; digit++) number = number * 10 + line[digit] - 48;
    return number;
  };
}

const mostPlaces = 16;

function isAt(line, at, mark) {
  for (let index = 0; index < mark.length; index++) if (line[at + index] !== mark[index]) return false;
  return true;
}
