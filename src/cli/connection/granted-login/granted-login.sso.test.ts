import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../../../api/status.ts';
import { sendRequest } from '../../../client/send-request.ts';
import { clientName, oauthErrorOf } from './granted-login.ts';
import { listenOnLoopback } from './loopback-listener.ts';
import { browserCommand } from './open-browser.ts';

async function visit(port: number, query: string, path = '/callback'): Promise<{ code: number; text: string }> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}?${query}`);
  return { code: statusCode, text: await body.text() };
}

describe('the loopback port of a login', () => {
  it('accepts only the code of its own login, and ignores all other requests', async () => {
    const listener = await listenOnLoopback('own', new AbortController().signal);
    expect((await visit(listener.port, 'code=foreign&state=other')).code).toBe(400);
    expect((await visit(listener.port, 'code=foreign')).code).toBe(400);
    expect((await visit(listener.port, 'code=foreign&state=own', '/other')).code).toBe(404);
    const page = await visit(listener.port, 'code=right&state=own');
    expect(page).toEqual({ code: 200, text: expect.stringContaining('You can close this window') });
    expect(await listener.code).toBe('right');
    listener.close();
  });

  it('ends if the user denies the login, and if the command is interrupted', async () => {
    const denied = await listenOnLoopback('own', new AbortController().signal);
    await visit(denied.port, 'error=access_denied&state=own');
    await expect(denied.code).rejects.toThrow('denied in the browser');
    denied.close();
    const controller = new AbortController();
    const interrupted = await listenOnLoopback('own', controller.signal);
    controller.abort(new Error('interrupted'));
    await expect(interrupted.code).rejects.toThrow('interrupted');
    interrupted.close();
  });
});

describe('the browser of a login', () => {
  it('is the one that the user chose, or that of the operating system, if there is a display', () => {
    expect(browserCommand({ BROWSER: 'firefox' }, 'linux')).toEqual(['firefox']);
    expect(browserCommand({ DISPLAY: ':0' }, 'linux')).toEqual(['xdg-open']);
    expect(browserCommand({}, 'linux')).toBeUndefined();
    expect(browserCommand({}, 'darwin')).toEqual(['open']);
    expect(browserCommand({}, 'win32')?.[0]).toBe('rundll32');
  });
});

it('the name of a machine has only the characters of host names', () => {
  expect(clientName('laptop.example.com')).toBe('laptop.example.com');
  expect(clientName("-anna's laptop")).toBe('anna-s-laptop');
  expect(clientName('x'.repeat(100))).toHaveLength(63);
  expect(clientName('')).toBe('unknown-host');
});

it('an error of a token endpoint has the code of the error as its cause', async () => {
  const fetch = (text: string) => async () => ({ status: 400, text: async () => text, body: null });
  const errorOf = async (text: string) =>
    await sendRequest({ fetch: fetch(text) }, { method: 'POST', url: '' }).catch((error: unknown) => error);
  const pending = await errorOf('{"error":"slow_down","error_description":"wait"}');
  expect([oauthErrorOf(pending), pending instanceof StatusError && pending.message]).toEqual(['slow_down', 'wait']);
  for (const other of ['{}', '[]', 'null', '"error"', '{"error":1}', '<html>'])
    expect(oauthErrorOf(await errorOf(other)), other).toBeUndefined();
});
