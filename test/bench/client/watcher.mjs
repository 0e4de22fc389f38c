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

/** Reads the six digits behind a mark; -1 where the mark is not. */
export function numberBehind(line, mark) {
  const at = line.indexOf(mark);
  if (at === -1) return -1;
  let number = 0;
  for (let digit = at + mark.length; digit < at + mark.length + 6; digit++) number = number * 10 + line[digit] - 48;
  return number;
}
