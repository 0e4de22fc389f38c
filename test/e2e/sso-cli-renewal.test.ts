import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { deviceDecisionPath } from '../../src/api/auth/cli-login.ts';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { type Kubectl, kubectlMissing, kubectlWith } from '../harness/kubectl.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const password = 'correct horse battery';

describeIfAvailable(kubectlMissing, 'the exec plugin of a person who logged in with a code', () => {
  let home: CliHome;
  let flotilla: FlotillaProcess;
  let authority: string;
  let kubectl: Kubectl;
  let agent: Agent;

  beforeAll(async () => {
    home = cliHome();
    flotilla = await startFlotilla();
    authority = join(flotilla.dataDirectory, 'ca.crt');
    agent = new Agent({ connect: { ca: readFileSync(authority) } });
    const admin = { FLOTILLA_URL: flotilla.url, FLOTILLA_ACCESS_KEY: flotilla.adminKey, FLOTILLA_CA_FILE: authority };
    await home.ok(['user', 'create', 'anna', '--password-stdin'], { env: admin, input: password });
    await logIn();
    const kubeconfig = join(home.folder, 'kubeconfig');
    await home.ok(['kubeconfig', '--management', '--file', kubeconfig]);
    kubectl = kubectlWith(kubeconfig);
  });
  afterAll(async () => {
    home.remove();
    await agent.destroy();
    await flotilla.remove();
  });

  /** Sends a request like a page of the console, with the session cookie. */
  async function fromConsole(path: string, body: object, cookie = '') {
    const headers = {
      'content-type': 'application/json',
      'x-flotilla-console': '1',
      'sec-fetch-site': 'same-origin',
      origin: flotilla.url,
      ...(cookie === '' ? {} : { cookie }),
    };
    const sent = { method: 'POST', headers, body: JSON.stringify(body), dispatcher: agent } as const;
    const response = await request(`${flotilla.url}${path}`, sent);
    expect(response.statusCode, await response.body.text()).toBeLessThan(300);
    return String(response.headers['set-cookie']).split(';', 1)[0] ?? '';
  }

  async function logIn(): Promise<void> {
    const login = home.inTerminal(['flotilla', 'login', flotilla.url, '--no-browser', '--ca-file', authority]);
    const shown = await login.waitForOutput(/\b[A-Z]{4}-[A-Z]{4}\b/);
    const [userCode] = /\b[A-Z]{4}-[A-Z]{4}\b/.exec(shown) ?? [];
    const cookie = await fromConsole('/auth/session', { username: 'anna', password });
    await fromConsole(deviceDecisionPath, { userCode, allow: true }, cookie);
    expect(await login.ended).toBe(0);
  }

  const file = () => join(home.folder, '.config/flotilla/config.json');
  const saved = () => {
    const { contexts } = JSON.parse(readFileSync(file(), 'utf8'));
    return contexts[new URL(flotilla.url).host] as { accessKey: string; renewal: { after: string; nextKey?: string } };
  };

  /** Changes the saved login so that its renewal is due. */
  function makeDue(): void {
    const config = JSON.parse(readFileSync(file(), 'utf8'));
    config.contexts[new URL(flotilla.url).host].renewal.after = new Date(Date.now() - 1000).toISOString();
    writeFileSync(file(), JSON.stringify(config));
  }

  /** Runs kubectl, which starts the plugin, with the saved logins of this test. */
  const run = (...args: string[]) => kubectl.run(args, { env: home.env });

  const renewals = () =>
    readFileSync(join(flotilla.dataDirectory, 'audit.log'), 'utf8')
      .split('\n')
      .filter((line) => line.includes('"ResponseComplete"') && line.includes('login renewed until')).length;

  it('renews the login once, although many processes of kubectl start it at the same time', async () => {
    expect(saved().renewal.nextKey).toBeUndefined();
    const before = saved().accessKey;
    makeDue();
    const runs = await Promise.all(Array.from({ length: 6 }, () => run('auth', 'whoami', '-o', 'name')));
    expect(runs.map(({ code, stderr }) => [code, stderr])).toEqual(runs.map(() => [0, '']));
    expect([renewals(), saved().accessKey === before]).toEqual([1, false]);
    const old = await home.run(['whoami'], {
      env: { FLOTILLA_URL: flotilla.url, FLOTILLA_ACCESS_KEY: before, FLOTILLA_CA_FILE: authority },
    });
    expect([old.code, old.stderr]).toEqual([3, expect.stringContaining('rejected')]);
  });

  it('continues with the login after it was killed during a renewal', async () => {
    makeDue();
    const before = renewals();
    const command = home.inTerminal(['flotilla', 'token', '--exec-credential']);
    await expect
      .poll(() => saved().renewal.nextKey !== undefined || renewals() > before, { interval: 5, timeout: 60_000 })
      .toBe(true);
    command.type('\u0003\u0003');
    await command.ended;
    expect((await run('auth', 'whoami')).stdout).toContain('anna');
    expect((await run('auth', 'whoami')).stdout).toContain('anna');
  });

  it('shows how to log in again after the login was ended in the console', async () => {
    makeDue();
    const admin = kubectlWith(flotilla.kubeconfig);
    await admin.ok(['delete', 'accesskeys', '--field-selector', 'spec.type=Login']);
    const { code, stderr } = await run('get', 'projects');
    expect([code, stderr]).toEqual([1, expect.stringContaining(`log in again: flotilla login ${flotilla.url}`)]);
  });
});
