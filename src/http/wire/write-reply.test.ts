import { describe, expect, it } from 'vitest';
import { incomingRequest } from '../../../test/harness/exchange.ts';
import { ManualFlushResponse } from './manual-flush-response.fixture.ts';
import { StalledReaderMonitor } from './stalled-reader-monitor.ts';
import { writeReply } from './write-reply.ts';

function write(httpVersion: '1.1' | '2', length: number) {
  const response = new ManualFlushResponse();
  const reply = { status: 200, headers: {}, body: Buffer.alloc(length) };
  let isGone = false;
  response.once('close', () => {
    isGone = true;
  });
  const options = { stalledReaders: new StalledReaderMonitor(60_000), closing: false, isGone: () => isGone };
  return { response, over: writeReply(incomingRequest({ httpVersion }), response, reply, options) };
}

describe('a response over HTTP/1.1', () => {
  it('that is long ends with a short piece after the rest has been sent', async () => {
    const { response, over } = write('1.1', 120_000);
    await new Promise((resolve) => setImmediate(resolve));
    expect(response.chunkLengths).toEqual([120_000 - 8_192]);
    await response.flush();
    expect(response.chunkLengths).toEqual([120_000 - 8_192, 8_192]);
    await over;
  });

  it('that is long is aborted when its client disconnects', async () => {
    const { response, over } = write('1.1', 120_000);
    await new Promise((resolve) => setImmediate(resolve));
    response.emit('close');
    await over;
    await response.flush();
    expect(response.chunkLengths).toEqual([120_000 - 8_192]);
  });

  it('that is short is sent in one piece, and so is a longer one over HTTP/2', async () => {
    const short = write('1.1', 8_192);
    const other = write('2', 120_000);
    await Promise.all([short.over, other.over]);
    expect([short.response.chunkLengths, other.response.chunkLengths]).toEqual([[8_192], [120_000]]);
  });
});
