import type { BadRequest } from './bad-request.ts';
import { collectionPath, objectPath, type ServedApi } from './served-api.ts';

/** Bytes that a second parser would interpret as a separate request. The server must never execute this request. */
const inner = (path: string, key: string) =>
  `DELETE ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;

const lengths: readonly ((length: number) => string)[] = [
  (length) => `Content-Length: ${length}\r\nTransfer-Encoding: chunked`,
  (length) => `Transfer-Encoding: chunked\r\nContent-Length: ${length}`,
  (length) => `Content-Length: ${length}\r\nTransfer-Encoding: xchunked`,
  (length) => `Content-Length: ${length}\r\nTransfer-Encoding : chunked`,
  (length) => `Content-Length: ${length}\r\nTransfer-Encoding: chunked, identity`,
  (length) => `Content-Length: ${length}\r\nTransfer-Encoding:\x0bchunked`,
  (length) => `Content-Length: ${length}\r\nTransfer-Encoding: identity\r\nTransfer-Encoding: chunked`,
  (length) => `Content-Length: ${length}\r\n Transfer-Encoding: chunked`,
  (length) => `Content-Length: ${length}\r\nX: y\rTransfer-Encoding: chunked`,
  (length) => `Content-Length: ${length}\r\nX: y\nTransfer-Encoding: chunked`,
  (length) => `Content-Length: 0\r\nContent-Length: ${length}`,
  (length) => `Content-Length: ${length}\r\nContent-Length: 0`,
  (length) => `Content-Length: 0, ${length}`,
  (length) => `Content-Length: +${length}`,
  (length) => `Content-Length: -${length}`,
  (length) => `Content-Length: ${length}abc`,
  (length) => `Content-Length: 0x${length.toString(16)}`,
  (length) => `Content-Length:\r\n ${length}`,
  (length) => `Content-Length\t: ${length}`,
  (length) => `content-length: ${length}\0`,
];

const chunks: readonly ((text: string) => string)[] = [
  (text) => `0\r\n\r\n${text}`,
  (text) => `${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`,
  (text) => `-1\r\n${text}\r\n0\r\n\r\n`,
  (text) => `FFFFFFFFFFFFFFFFF\r\n${text}`,
  (text) => `0x5\r\nhello\r\n0\r\n\r\n${text}`,
  (text) => `5;${'x'.repeat(20_000)}\r\nhello\r\n0\r\n\r\n${text}`,
  (text) => `5\nhello\n0\n\n${text}`,
  (text) => `2\r\n{}5\r\nhello\r\n0\r\n\r\n${text}`,
  (text) => `0\r\nAuthorization: x\r\nContent-Length: 5\r\n\r\n${text}`,
  (text) => `0\r\n${'T: x\r\n'.repeat(20_000)}\r\n${text}`,
  (text) => `zz\r\n${text}`,
];

const hosts = [
  '',
  'Host: x\r\nHost: x',
  'Host: x\r\nHost: y',
  'host: x\r\nHOST: y',
  'Host: x/y',
  'Host: x@y',
  'Host: x y',
];

/**
 * Requests with conflicting lengths or hosts that two parsers would interpret differently. Each request has its own
 * connection.
 */
export function* smuggling(servedApi: ServedApi, key: string): Generator<BadRequest> {
  for (const kind of servedApi.kinds.filter(({ objectMethods }) => objectMethods.includes('delete'))) {
    const hidden = inner(objectPath(servedApi, kind), key);
    const start = (method: string) =>
      `${method} ${collectionPath(servedApi, kind)}?dryRun=All HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nAuthorization: Bearer ${key}\r\n`;
    for (const [index, length] of lengths.entries()) {
      const method = ['POST', 'GET', 'DELETE'][index % 3] ?? 'POST';
      const body = chunks[index % chunks.length]?.(hidden) ?? '';
      yield raw(`${start(method)}${length(body.length)}\r\n\r\n${body}`);
    }
    for (const host of hosts) {
      const head = `GET ${collectionPath(servedApi, kind)} HTTP/1.1\r\n${host}\r\nAuthorization: Bearer ${key}`;
      yield raw(`${head.replace('\r\n\r\n', '\r\n')}\r\n\r\n${hidden}`);
    }
    for (const chunked of chunks) {
      yield raw(
        `${start('POST')}Transfer-Encoding: chunked\r\n\r\n${chunked(hidden)}`.replace(
          hidden,
          hidden.replace('DELETE', 'GET'),
        ),
      );
    }
  }
}

function raw(text: string): BadRequest {
  return {
    family: 'smuggling',
    method: 'POST',
    target: '',
    headers: {},
    raw: Buffer.from(text, 'latin1'),
    halfway: true,
    mayBeDropped: true,
    refused: false,
  };
}
