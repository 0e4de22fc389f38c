/** A PEM block. */
export interface PemBlock {
  readonly type: string;
  readonly hasHeaders: boolean;
  readonly bytes: Buffer;
  /** The block from its opening to its closing line. */
  readonly text: string;
}

const opening = '-----BEGIN ';
const closing = '-----END ';
const dashes = '-----';
/** The maximum length of a closing line. The closing lines of all types of PEM blocks in use are shorter. */
const maxClosingLength = 200;

/** Returns the complete PEM blocks of a text. Skips the text between blocks, and skips blocks that are not base64. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  for (let from = 0; ; ) {
    const end = text.indexOf(closing, from);
    if (end < 0) return;
    // Each part of the text is searched once, so the time grows with its length only.
    const block = blockBefore(text.slice(from, end), text.slice(end, end + maxClosingLength));
    if (block !== undefined) yield block;
    from = end + closing.length;
  }
}

/** Returns the last PEM block that starts in `before`, if the block is valid and ends with `closingLine`. */
function blockBefore(before: string, closingLine: string): PemBlock | undefined {
  const begin = before.lastIndexOf(opening);
  const typeEnd = begin < 0 ? -1 : before.indexOf(dashes, begin + opening.length);
  if (typeEnd < 0 || (begin > 0 && before[begin - 1] !== '\n')) return undefined;
  const type = before.slice(begin + opening.length, typeEnd);
  const closed = `${closing}${type}${dashes}`;
  if (!closingLine.startsWith(closed)) return undefined;
  const body = before.slice(typeEnd + dashes.length);
  const headersEnd = body.includes(':') ? body.indexOf('\n\n') : -1;
  const encoded = (headersEnd < 0 ? body : body.slice(headersEnd)).replaceAll(/\s/g, '');
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined;
  const bytes = Buffer.from(encoded, 'base64');
  return { type, hasHeaders: headersEnd >= 0, bytes, text: `${before.slice(begin)}${closed}` };
}
