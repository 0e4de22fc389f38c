import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { totpCode, totpStepAt } from '../../src/auth/totp.ts';
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { describeIfAvailable } from '../harness/suite.ts';

const pythonMissing =
  spawnSync('python3', ['-c', 'import pty']).status === 0
    ? undefined
    : 'there is no python3 on PATH, which makes terminals';
const password = 'correct horse battery';

describeIfAvailable(pythonMissing, 'flotilla login with a second factor', () => {
  let flotilla: FlotillaProcess;
  let home: CliHome;
  let ca: string;

  beforeAll(async () => {
    home = cliHome();
    const config = join(home.folder, 'server.yaml');
    writeFileSync(config, 'auth: {password: {secondFactor: required}}\n');
    flotilla = await startFlotilla({ args: ['--config', config] });
    ca = join(flotilla.dataDirectory, 'ca.crt');
    await home.ok(['login', flotilla.url, '--ca-file', ca, '--access-key-stdin'], { input: flotilla.adminKey });
    await home.ok(['user', 'create', 'anna', '--password-stdin'], { input: password });
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  it('sets it up at the first login, asks for a code at the next one, and an admin can remove it', async () => {
    const env = { FLOTILLA_CONFIG: join(home.folder, 'anna.json') };
    const logIn = async () => {
      const login = home.inTerminal(['flotilla', 'login', flotilla.url, '--ca-file', ca, '--username', 'anna'], {
        env,
      });
      await login.waitForOutput(/Password for anna: /);
      login.type(`${password}\r`);
      return login;
    };
    const first = await logIn();
    await first.waitForOutput(/Code that the app shows: /);
    const [, secret = ''] = /^\s+([A-Z2-7]{32})\s*$/m.exec(first.shown()) ?? [];
    first.type(`${totpCode(secret, totpStepAt(Date.now()))}\r`);
    await first.waitForOutput(/logged in to .* as anna/);
    expect(await first.ended).toBe(0);
    const recoveryCodes = first.shown().match(/\b[a-z2-9]{5}-[a-z2-9]{5}\b/g) ?? [];
    expect(recoveryCodes).toHaveLength(10);

    const second = await logIn();
    await second.waitForOutput(/Code from your authenticator app, or a recovery code: /);
    second.type(`${recoveryCodes[0]}\r`);
    await second.waitForOutput(/logged in to .* as anna/);
    expect(await second.ended).toBe(0);

    const used = await logIn();
    await used.waitForOutput(/recovery code: /);
    used.type(`${recoveryCodes[0]}\r`);
    await used.waitForOutput(/wrong code/);
    expect(await used.ended).toBe(3);

    const removed = await home.ok(['user', 'remove-second-factor', 'anna']);
    expect(removed).toContain('user "anna": second factor removed');
    const third = await logIn();
    await third.waitForOutput(/Code that the app shows: /);
    third.type('\u0003');
    await third.ended;
  });

  it('fails without a terminal, and names the way for scripts', async () => {
    const args = ['login', flotilla.url, '--ca-file', ca, '--username', 'anna', '--password-stdin'];
    const env = { FLOTILLA_CONFIG: join(home.folder, 'script.json') };
    const refused = await home.run(args, { input: password, env });
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('--access-key-stdin')]);
  });
});
