import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';

const root = new URL('../..', import.meta.url).pathname;
const missing = ['curl', 'openssl'].find((program) => spawnSync(program, ['version']).error !== undefined);
const reason = missing === undefined ? undefined : `there is no ${missing} on PATH`;

describeIfAvailable(reason, 'the guide to sign in to other tools', () => {
  let folder: string;
  let flotilla: FlotillaProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oidc-guide-'));
    mkdirSync(join(folder, 'bin'));
    symlinkSync(join(root, 'bin/flotilla.js'), join(folder, 'bin/flotilla'));
  });
  afterEach(async () => {
    await flotilla?.remove();
    rmSync(folder, { recursive: true });
  });

  it('has settings that the server accepts, and commands that work', async () => {
    const text = readFileSync(join(root, 'docs/guides/sign-in-to-other-tools.md'), 'utf8');
    const blocks = (type: string) =>
      [...text.matchAll(new RegExp(`^\`\`\`${type}\n(.*?)^\`\`\``, 'gms'))].map(([, block = '']) => block);
    const run = async (script: string, env: Record<string, string> = {}) =>
      (
        await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
          cwd: folder,
          env: { ...process.env, ...env },
        })
      ).stdout;
    const [createSecrets = '', ...commands] = blocks('sh');
    const [config = ''] = blocks('yaml');
    await run(createSecrets);
    const file = join(folder, 'flotilla.yaml');
    writeFileSync(file, config.replaceAll(/(\w+\.secret)/g, join(folder, '$1')));
    const [port] = await freePorts(1);
    const listen = `127.0.0.1:${port}`;
    flotilla = await startFlotilla({
      dataDirectory: join(folder, '.flotilla'),
      listen,
      args: ['--config', file, '--external-url', `https://${listen}`],
    });
    const printed = await run(commands.join('\n'), {
      PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
      FLOTILLA_CONFIG: join(folder, 'logins.json'),
      FLOTILLA_URL: flotilla.url,
      FLOTILLA_CA_FILE: join(folder, '.flotilla/ca.crt'),
      FLOTILLA_ACCESS_KEY: flotilla.adminKey,
    });
    expect(printed).toContain(`"issuer":"https://${listen}/oidc"`);
    expect(printed).toContain('"kty":"EC"');
  });

  it('uses only scopes and endpoints that the provider has', () => {
    const text = readFileSync(join(root, 'docs/guides/sign-in-to-other-tools.md'), 'utf8');
    const paths = [...text.matchAll(/flotilla\.example\.com(\/oidc\/[\w-]+)/g)].map(([, path]) => path);
    expect(new Set(paths)).toEqual(new Set(['/oidc/authorize', '/oidc/token', '/oidc/userinfo', '/oidc/end-session']));
    expect(text).toContain('scopes = openid profile email groups offline_access');
  });
});
