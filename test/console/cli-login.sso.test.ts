import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CliHome, cliHome, type TerminalRun } from '../harness/cli.ts';
import { startFlotilla } from '../harness/flotilla-process.ts';
import { accessibilityViolations } from './harness/accessibility.ts';
import { expectNoProblems, signInAs } from './harness/browser.ts';
import { describeConsole } from './harness/console-test-env.ts';

const password = 'correct horse battery staple';
const ctrlC = '\u0003';

describeConsole('logging in on the command line through the console', (env) => {
  let home: CliHome;
  beforeAll(async () => {
    await env.admin.createUser('anna', password);
    home = cliHome();
  });
  afterAll(() => home.remove());

  const ca = () => join(env.flotilla.dataDirectory, 'ca.crt');
  const configOf = (name: string) => ({ FLOTILLA_CONFIG: join(home.folder, `${name}.json`) });

  function login(name: string, args: readonly string[] = [], more: Record<string, string> = {}): TerminalRun {
    const command = ['flotilla', 'login', env.flotilla.url, '--ca-file', ca(), ...args];
    return home.inTerminal(command, { env: { ...configOf(name), ...more } });
  }

  /** Returns the path of the page that the command line shows. */
  async function shownPage(run: TerminalRun): Promise<string> {
    const shown = await run.waitForOutput(/https:\/\/\S+\/authorize-cli\?\S+/);
    const { pathname, search } = new URL(/https:\/\/\S+\/authorize-cli\?\S+/.exec(shown)?.[0] ?? '');
    await run.waitForOutput(/Press Ctrl-C to cancel/);
    return `${pathname}${search}`;
  }

  async function pressIn(page: Page, name: 'Allow' | 'Deny'): Promise<void> {
    await page.getByRole('button', { name, exact: true }).click();
  }

  it('asks for consent in the browser, and saves the login of the user who is signed in there', async () => {
    const run = login('anna');
    const path = await shownPage(run);
    const watched = await env.open();
    const { page, context } = watched;
    await signInAs(page, 'anna', password, path);
    await page.getByText(/Allow the command line on .* to use your account anna\?/).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await pressIn(page, 'Allow');
    await page.getByText('You can close this window').waitFor();
    expect(new URL(page.url()).hostname).toBe('127.0.0.1');
    await run.waitForOutput(/logged in to .* as anna/);
    expect(await run.ended).toBe(0);
    expect(run.shown()).not.toContain('flk_');
    // The only request to another host is the callback on the local port of the command line.
    expect(watched.problems()).toEqual([
      expect.stringMatching(/^request to http:\/\/127\.0\.0\.1:\d+\/callback\?code=/),
    ]);
    await context.close();
    expect(await home.ok(['whoami'], { env: configOf('anna') })).toContain('anna');
  }, 120_000);

  it('starts the browser that BROWSER names, and ends with an error if the user denies the login', async () => {
    const [script, opened] = [join(home.folder, 'browser.sh'), join(home.folder, 'opened')];
    writeFileSync(script, `#!/bin/sh\necho "$1" > ${opened}\n`);
    chmodSync(script, 0o755);
    const run = login('denied', [], { BROWSER: script });
    const path = await shownPage(run);
    await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toContain(path);
    const { page, context } = await env.open();
    await signInAs(page, 'anna', password, path);
    await pressIn(page, 'Deny');
    await page.getByText('The login was denied').waitFor();
    await run.waitForOutput(/the login was denied in the browser/);
    expect(await run.ended).toBe(3);
    await context.close();
  }, 120_000);

  it('ends with Ctrl-C', async () => {
    const run = login('interrupted');
    await shownPage(run);
    run.type(ctrlC);
    expect(await run.ended).toBe(130);
    expect(existsSync(configOf('interrupted').FLOTILLA_CONFIG)).toBe(false);
  });

  it('works without a browser on the machine, with a code', async () => {
    const run = login('device', ['--no-browser']);
    const shown = await run.waitForOutput(/[A-Z]{4}-[A-Z]{4}/);
    const [code = ''] = /[A-Z]{4}-[A-Z]{4}/.exec(shown) ?? [];
    expect(run.shown()).toContain(`${env.flotilla.url}/device`);
    const watched = await env.open();
    const { page, context } = watched;
    await signInAs(page, 'anna', password, '/device');
    await page.getByLabel('Code').fill('BBBB-BBBB');
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('the code is unknown').waitFor();
    await page.getByLabel('Code').fill(code.toLowerCase());
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByText('IP address').waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await pressIn(page, 'Allow');
    await page.getByText('The login is allowed.').waitFor();
    await run.waitForOutput(/logged in to .* as anna/);
    expect(await run.ended).toBe(0);
    expectNoProblems(watched);
    await context.close();
  }, 120_000);

  it('gives kubectl credentials until the login ends, and then says which command to run', async () => {
    const token = () => home.run(['token', '--exec-credential'], { env: configOf('device') });
    const before = JSON.parse((await token()).stdout);
    expect(before.status.expirationTimestamp).toMatch(/^\d{4}-/);
    const file = configOf('device').FLOTILLA_CONFIG;
    const config = JSON.parse(readFileSync(file, 'utf8'));
    config.contexts[config.current].expires = '2020-01-01T00:00:00Z';
    writeFileSync(file, JSON.stringify(config));
    const after = await token();
    expect([after.code, after.stdout]).toEqual([3, '']);
    expect(after.stderr).toContain(`has ended; log in again: flotilla login ${env.flotilla.url}`);
  });

  it('asks for an access key, and says why, if the console is disabled', async () => {
    const file = join(home.folder, 'config.yaml');
    writeFileSync(file, 'console: {enabled: false}\n');
    const plain = await startFlotilla({ args: ['--config', file] });
    const run = home.inTerminal(['flotilla', 'login', plain.url, '--ca-file', join(plain.dataDirectory, 'ca.crt')], {
      env: configOf('plain'),
    });
    await run.waitForOutput(/The console of .* is disabled/);
    await run.waitForOutput(/Access key for .*: /);
    run.type(`${plain.adminKey}\r`);
    await run.waitForOutput(/logged in to .* as admin/);
    expect(await run.ended).toBe(0);
    await plain.remove();
  }, 60_000);
});
