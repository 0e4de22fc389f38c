import { createHash } from 'node:crypto';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { managementGroup } from '../../src/api/naming.ts';
import { freePorts } from '../harness/start-program.mjs';
import { signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';
import { violationsInEveryLook } from './harness/looks.ts';

const [port] = await freePorts(1);
const listen = `127.0.0.1:${port}`;
const externalUrl = `https://${listen}`;
const redirectUri = 'https://app.example.com/callback';
const password = 'correct horse battery';
const verifier = 'a-code-verifier-of-a-test-with-more-than-43-characters';

const settings = {
  listen,
  externalUrl,
  auth: {
    oidcProvider: {
      enabled: true,
      clients: [
        { id: 'dashboards', name: 'Dashboards', redirectUris: [redirectUri] },
        { id: 'operators', name: 'Operators', redirectUris: [redirectUri], allowedTeams: ['platform'] },
      ],
    },
  },
};

/** Returns the URL to which an app sends its user's browser to sign in. */
function requestOf(app: string, changes: Record<string, string> = {}): string {
  const parameters = {
    client_id: app,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid groups',
    state: 'state-of-the-app',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...changes,
  };
  return `/oidc/authorize?${new URLSearchParams(parameters)}`;
}

describeConsole(
  'the sign-in to another app',
  (env) => {
    async function person(name: string): Promise<void> {
      await env.admin.request('POST', `/apis/${managementGroup}/v1/users`, { metadata: { name }, spec: { password } });
    }

    /** Serves the page of the app, because its host does not exist. */
    async function serveApp(page: Page): Promise<void> {
      await page.route(`${redirectUri}**`, (route) => route.fulfill({ body: 'The page of the app' }));
    }

    it('asks after the sign-in, and continues without a question in the same login', async () => {
      await person('anna');
      const { page } = await env.open();
      await serveApp(page);
      await signInAs(page, 'anna', password, requestOf('dashboards'));
      await page.getByText('Continue to Dashboards as anna?').waitFor();
      expect(await violationsInEveryLook(page, 'authorize-app')).toEqual([]);
      await page.getByRole('button', { name: 'Continue as anna' }).click();
      await page.waitForURL(`${redirectUri}**`);
      const returned = new URL(page.url()).searchParams;
      expect([returned.get('state'), returned.get('iss')]).toEqual(['state-of-the-app', `${externalUrl}/oidc`]);
      const tokens = await page.request.post(`${env.flotilla.url}/oidc/token`, {
        form: {
          grant_type: 'authorization_code',
          client_id: 'dashboards',
          redirect_uri: redirectUri,
          code: returned.get('code') ?? '',
          code_verifier: verifier,
        },
      });
      expect(tokens.status()).toBe(200);

      await page.goto(`${env.flotilla.url}${requestOf('dashboards')}`);
      await page.waitForURL(`${redirectUri}**`);
      expect(new URL(page.url()).searchParams.get('code')).not.toBe(returned.get('code'));
      await page.close();
    });

    it('returns to the app if the user cancels, and explains why a user cannot continue', async () => {
      await person('ben');
      const { page } = await env.open();
      await serveApp(page);
      await signInAs(page, 'ben', password, requestOf('operators'));
      await page.getByText(/You cannot sign in to Operators: .* in none of the teams/).waitFor();
      expect(await page.getByRole('button', { name: 'Continue as ben' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await page.waitForURL(`${redirectUri}**`);
      expect(new URL(page.url()).searchParams.get('error')).toBe('access_denied');
      await page.close();
    });

    it('shows a page for an unknown redirect URI, and asks for a new login if the app wants one', async () => {
      await person('carl');
      const { page } = await env.open();
      await serveApp(page);
      await page.goto(requestOf('dashboards', { redirect_uri: 'https://evil.example.com/' }));
      await page.getByRole('heading', { name: 'Cannot sign in to the app' }).waitFor();
      expect(new URL(page.url()).origin).toBe(env.flotilla.url);
      await signInAs(page, 'carl', password);
      // Retries, because a login never counts as too old in the second in which it was created.
      await expect
        .poll(async () => {
          await page.goto(requestOf('dashboards', { max_age: '0' }));
          await page.getByRole('heading', { name: 'Continue to Dashboards' }).waitFor();
          return await page.getByRole('button', { name: 'Sign in again' }).count();
        })
        .toBe(1);
      await page.getByRole('button', { name: 'Sign in again' }).click();
      await page.locator('input[name="username"]').waitFor();
      await page.close();
    });
  },
  settings,
);
