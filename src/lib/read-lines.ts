/**
 * Yields the lines of a chunked text, without newlines, as fast as the consumer reads them. Throws if a line is longer
 * than `longest` characters, because a client that never ends a line could exhaust the memory.
 */
export async function* readLines(
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
