/**
 * The part of HPACK that the load client needs: request headers as literals without indexing, and only the status of a
 * response. The client's settings set the table size to 0, so no response refers to headers of earlier responses.
 */

const methods = { GET: 0x82, POST: 0x83 };

/** Indexes of the static table. */
const names = { ':authority': 1, ':method': 2, ':path': 4 };

const textOf = (text) => {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([lengthOf(bytes.length), bytes]);
};

function lengthOf(length) {
  if (length < 127) return Buffer.of(length);
  const bytes = [127];
  let rest = length - 127;
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
  bytes.push(rest);
  return Buffer.from(bytes);
}

const named = (name, value) => Buffer.concat([Buffer.of(names[name]), textOf(value)]);

/** Encodes header fields that stay the same for many requests. */
export function headerBlock(headers) {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [Buffer.of(0), textOf(name), textOf(String(value))]),
  );
}

/** Returns the first part of a request's header block. The block of the other fields follows it. */
export function requestLine(method, authority, path) {
  const verb = methods[method] === undefined ? named(':method', method) : Buffer.of(methods[method]);
  return Buffer.concat([verb, Buffer.of(0x87), named(':authority', authority), named(':path', path)]);
}

const indexedStatuses = new Map([200, 204, 206, 304, 400, 404, 500].map((status, at) => [0x88 + at, status]));

/** The status, which is the first field of every response. */
export function statusOf(block) {
  let at = 0;
  // Table size updates precede the status.
  while ((block[at] & 0xe0) === 0x20) {
    const isLong = (block[at++] & 0x1f) === 0x1f;
    while (isLong && (block[at++] & 0x80) !== 0);
  }
  const indexed = indexedStatuses.get(block[at]);
  if (indexed !== undefined) return indexed;
  // A literal of any form whose name is one of the seven :status entries of the static table.
  const isStatus = [0x00, 0x10, 0x40].includes(block[at] & 0xf0) && (block[at] & 0x0f) >= 8 && (block[at] & 0x0f) <= 14;
  const length = block[at + 1] & 0x7f;
  const text = block.subarray(at + 2, at + 2 + length);
  const status = (block[at + 1] & 0x80) === 0 ? Number(text.toString('latin1')) : huffmanDigits(text);
  if (!isStatus || !(status >= 100 && status <= 999)) throw new Error(`no status in ${block.toString('hex')}`);
  return status;
}

/** Decodes three digits in Huffman code: the digits 0 to 2 take five bits, 3 to 9 take six bits. */
function huffmanDigits(bytes) {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  let digits = '';
  for (let at = 0; digits.length < 3; ) {
    const five = Number.parseInt(bits.slice(at, at + 5), 2);
    const isShort = five < 3;
    digits += isShort ? five : Number.parseInt(bits.slice(at, at + 6), 2) - 22;
    at += isShort ? 5 : 6;
  }
  return Number(digits);
}
