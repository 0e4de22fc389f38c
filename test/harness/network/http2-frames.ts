/** The types and flags of HTTP/2 frames that tests send. */
export const frameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, continuation: 9 };
export const frameFlag = { endStream: 1, endHeaders: 4 };

/**
 * Returns the connection preface: the fixed bytes that an HTTP/2 client sends first, followed by an empty SETTINGS
 * frame.
 */
export function connectionPreface(): Buffer {
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    http2Frame(frameType.settings, 0, 0, Buffer.alloc(0)),
  ]);
}

export function http2Frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Encodes headers with HPACK: each as a literal that is not added to the dynamic table. */
export function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const fields = Object.entries(headers).map(([name, value]) =>
    Buffer.concat([Buffer.from([0x00]), hpackText(name), hpackText(value)]),
  );
  return Buffer.concat(fields);
}

/** Encodes a text with HPACK, without Huffman coding. */
export function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([hpackInteger(bytes.length), bytes]);
}

/** Encodes an integer with a prefix of seven bits. */
function hpackInteger(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
