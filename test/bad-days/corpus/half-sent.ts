import type { SeededRandom } from '../seeded-random.ts';
import type { BadRequest } from './bad-request.ts';
import { bodyTargets, type ServedApi } from './served-api.ts';

/** Requests that end early: in the request line, the headers, the body, a chunk. Also bytes that are not HTTP. */
export function* halfSent(servedApi: ServedApi, random: SeededRandom, key: string): Generator<BadRequest> {
  for (const kind of servedApi.kinds) {
    for (const { method, path, type, sample } of bodyTargets(servedApi, kind)) {
      const body = JSON.stringify(sample);
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: ${type}\r\n`;
      const counted = `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
      const chunked = `${head}Transfer-Encoding: chunked\r\n\r\n${Buffer.byteLength(body).toString(16)}\r\n${body}\r\n0\r\n\r\n`;
      for (const whole of [counted, chunked]) {
        for (let count = 0; count < 3; count++)
          yield cut(Buffer.from(whole.slice(0, 1 + random.below(whole.length - 6))));
      }
    }
  }
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
  for (let count = 0; count < 60; count++) yield cut(noise(1 + random.below(3_000)));
  const lines = [
    'GET',
    'GET /',
    'GET / HTTP/9.9',
    'GET  /  HTTP/1.1',
    'get / http/1.1',
    'GET / HTTP/1.1 x',
    ' GET / HTTP/1.1',
    '\0 / HTTP/1.1',
  ];
  for (const line of [
    ...lines,
    'GET x HTTP/1.1',
    'GET * HTTP/1.1',
    'CONNECT x:1 HTTP/1.1',
    'PRI * HTTP/2.0',
    `${'A'.repeat(40_000)} / HTTP/1.1`,
  ]) {
    for (const headers of [
      '',
      'Host: x\r\n',
      'Host: x\r\nHost: y\r\n',
      'x\r\n',
      ': x\r\n',
      'Host: x\r\n folded\r\n',
      'Ho st: x\r\n',
    ]) {
      yield cut(Buffer.from(`${line}\r\n${headers}\r\n`, 'latin1'));
    }
  }
}

function cut(raw: Buffer): BadRequest {
  return {
    family: 'half sent',
    method: 'POST',
    target: '',
    headers: {},
    raw,
    halfway: true,
    mayBeDropped: true,
    refused: false,
  };
}
