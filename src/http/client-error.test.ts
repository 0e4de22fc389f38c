import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { refuseConnection } from './client-error.ts';

/** What a client reads whose bytes were no request, while this answer is still on its socket. */
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

describe('bytes that are no request', () => {
  it('are answered where nothing else is', async () => {
    expect(await refused(null)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"code":400/);
  });

  it('are answered behind an answer that is all handed over, which the client may have read before them', async () => {
    expect(await refused({ headersSent: true, writableEnded: true })).toMatch(/^HTTP\/1\.1 400 /);
  });

  it('are not answered in the midst of an answer', async () => {
    expect(await refused({ headersSent: true, writableEnded: false })).toBe('');
  });
});
