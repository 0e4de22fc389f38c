import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { refuseConnection } from './client-error.ts';

/**
 * Returns the response to bytes that are not a request. `underway` is the response that is assigned to the socket when
 * the bytes arrive.
 */
async function refused(underway: { headersSent: boolean; writableEnded: boolean } | null): Promise<string> {
  const socket = Object.assign(new PassThrough(), { _httpMessage: underway });
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  refuseConnection(Object.assign(new Error('bad'), { code: 'HPE_INVALID_URL' }), socket);
  await closed;
  return text;
}

describe('bytes that are not a request', () => {
  it('get an error response if no other response is being sent', async () => {
    expect(await refused(null)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":400/);
  });

  it('get an error response after a response that is complete, which the client may have read before', async () => {
    expect(await refused({ headersSent: true, writableEnded: true })).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('get no error response in the middle of another response', async () => {
    expect(await refused({ headersSent: true, writableEnded: false })).toBe('');
  });
});
