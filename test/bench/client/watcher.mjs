import { lineReader } from './line-reader.mjs';

/**
 * A watch that resumes where it ended, as an informer does. `onLine` gets each event's line and its arrival time.
 * Counts how often the watch resumed, and how often it could not resume because the server had dropped the history.
 */
export function keepWatching(collection, client, onLine) {
  const counts = { resumed: 0, expired: 0 };
  /** The copied part of the last line, because a line is only valid during its callback. */
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
 * Returns a function that reads the six digits after a mark, or -1 without the mark. The mark is usually at one of a
 * few positions, which are tried first. A search of each line took a sixth of the client's CPU time, and the servers
 * share this CPU.
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
