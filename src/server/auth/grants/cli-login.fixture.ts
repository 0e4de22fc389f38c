import { createHash, randomBytes } from 'node:crypto';
import { textAt } from '@flotilla/json';
import { expect } from 'vitest';
import { cliGrantsPath, cliTokenPath, loopbackRedirect } from '../../../api/auth/cli-login.ts';
import type { ParsedResponse, ServerTestEnv } from '../../server.fixture.ts';
import type { RunningServer } from '../../start-server.ts';
import { Browser } from '../browser.fixture.ts';

export const password = 'correct horse battery';

/** Sends a form without a credential, as the command line does. */
export async function postForm(
  bench: ServerTestEnv,
  server: RunningServer,
  path: string,
  fields: Record<string, string>,
): Promise<ParsedResponse> {
  const raw = new URLSearchParams(fields).toString();
  return await bench.send(server, path, {
    ...{ method: 'POST', token: '', raw, type: 'application/x-www-form-urlencoded' },
  });
}

/** A browser in which the user is signed in with the password. */
export async function signedIn(bench: ServerTestEnv, server: RunningServer, username = 'anna'): Promise<Browser> {
  const browser = new Browser(bench, server);
  await browser.signIn({ username, password });
  return browser;
}

/** The secrets of a login with a redirect, as the command line creates them. */
export function newRedirectLogin() {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return {
    verifier,
    consent: { client: 'laptop', challenge, state: randomBytes(16).toString('base64url'), port: 40_123 },
  };
}

/** Lets the user of a browser allow a login, and returns the code of the redirect. */
export async function allowRedirect(browser: Browser, consent: ReturnType<typeof newRedirectLogin>['consent']) {
  const answer = await browser.send(cliGrantsPath, { method: 'POST', body: { ...consent, allow: true } });
  expect(answer.code, answer.text).toBe(201);
  const redirect = new URL(textAt(answer.json, 'redirect'));
  expect(redirect.origin + redirect.pathname).toBe(loopbackRedirect(consent.port));
  expect(redirect.searchParams.get('state')).toBe(consent.state);
  return redirect.searchParams.get('code') ?? '';
}

export async function exchangeCode(
  bench: ServerTestEnv,
  server: RunningServer,
  { code, verifier, port = 40_123 }: { code: string; verifier: string; port?: number },
): Promise<ParsedResponse> {
  return await postForm(bench, server, cliTokenPath, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: loopbackRedirect(port),
  });
}
