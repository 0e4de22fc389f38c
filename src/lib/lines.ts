/**
 * The lines of a text that comes in pieces, without their newlines. Reads no faster than it is read. Throws where a line
 * has more than `longest` characters: whoever never ends one would fill the memory.
 */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  longest = Number.POSITIVE_INFINITY,
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let rest = '';
  for await (const chunk of chunks) {
    const pieces = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = pieces.pop() ?? '';
    if (rest.length > longest) throw new Error(`a line is longer than ${longest} characters`);
    yield* pieces;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}
