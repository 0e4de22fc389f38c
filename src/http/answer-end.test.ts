import { connect } from 'node:http2';
import { afterEach, describe, expect, it } from 'vitest';
import { testCertificate } from '../../test/harness/http-server.ts';
import { silentLog } from '../lib/log.ts';
import { type Listener, listen } from './listen.ts';

const certificate = await testCertificate();
let listener: Listener;
afterEach(() => listener.drain(500));

describe('the end of an answer over HTTP/2', () => {
  it('comes after all of it, however busy the connection is (WATCH-16)', async () => {
    const body = 'x'.repeat(100_000);
    listener = await listen({
      host: '127.0.0.1',
      port: 0,
      tls: certificate,
      log: silentLog,
      handler: async () => ({
        status: 200,
        headers: {},
        body: (async function* () {
          yield body;
        })(),
      }),
    });
    const session = connect(`https://127.0.0.1:${listener.port}`, { ca: certificate.cert });
    const get = () =>
      new Promise<string>((resolve) => {
        const stream = session.request({ ':path': '/' });
        let length = 0;
        let ended = false;
        stream.on('data', (chunk: Buffer) => {
          length += chunk.byteLength;
        });
        stream.on('end', () => {
          ended = true;
        });
        stream.on('error', () => {});
        let aborted = '';
        stream.on('aborted', () => (aborted = ' aborted'));
        stream.on('close', () => resolve(`${length} ${ended} ${stream.rstCode}${aborted}`));
      });
    const outcomes = new Map<string, number>();
    for (let round = 0; round < 20; round++) {
      for (const o of await Promise.all(Array.from({ length: 90 }, get))) outcomes.set(o, (outcomes.get(o) ?? 0) + 1);
    }
    session.close();
    expect([...outcomes]).toEqual([['100000 true 0', 1800]]);
  });
});
