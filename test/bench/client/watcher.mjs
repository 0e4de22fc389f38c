import { lineReader } from './line-reader.mjs';

/**
 * A watch that is taken up again where it ended, as an informer does. `onLine` gets each event's line and the time at
 * which it was there. Counts how often it had to be taken up, and how often the server no longer knew from where.
 */
export function keepWatching(collection, client, onLine) {
  const counts = { resumed: 0, expired: 0 };
  let last;
  let stream;
  let isOver = false;
  let failed;

  const read = (line) => {
    last = line;
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
    const event = last === undefined ? undefined : JSON.parse(last);
    if (event?.type === 'ERROR') counts.expired++;
    const isKnown = event !== undefined && event.type !== 'ERROR';
    last = undefined;
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
 * What reads the six digits behind a mark; -1 where the mark is not. Lines of one length have it in one place as a rule:
 * to search each of them took a sixth of the client's time, which is the servers' time, too.
 */
export function numberBehind(mark) {
  const places = new Map();
  return (line) => {
    let at = places.get(line.length);
    if (at === undefined || !isAt(line, at, mark)) {
      at = line.indexOf(mark);
      if (at === -1) return -1;
      places.set(line.length, at);
    }
    let number = 0;
    for (let digit = at + mark.length; digit < at + mark.length + 6; digit++) number = number * 10 + line[digit] - 48;
    return number;
  };
}

function isAt(line, at, mark) {
  for (let index = 0; index < mark.length; index++) if (line[at + index] !== mark[index]) return false;
  return true;
}
