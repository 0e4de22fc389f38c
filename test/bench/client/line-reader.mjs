/** Splits chunks into lines, without line ends. A chunk or a line is only valid during the call that receives it. */
export function lineReader(onLine) {
  let rest = [];
  return (chunk) => {
    let start = 0;
    for (;;) {
      const end = chunk.indexOf(10, start);
      if (end === -1) break;
      const piece = chunk.subarray(start, end);
      onLine(rest.length === 0 ? piece : Buffer.concat([...rest, piece]));
      if (rest.length > 0) rest = [];
      start = end + 1;
    }
    if (start < chunk.length) rest.push(Buffer.from(chunk.subarray(start)));
  };
}
