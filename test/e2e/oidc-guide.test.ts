import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { freePorts } from '../harness/start-program.mjs';
import { describeIfAvailable } from '../harness/suite.ts';
import { codeBlocks, guideText, prepareGuideFolder, runBlocks, shellBlocks } from '../harness/walk-guide.ts';

const missing = ['curl', 'openssl'].find((program) => spawnSync(program, ['version']).error !== undefined);
const reason = missing === undefined ? undefined : `there is no ${missing} on PATH`;

describeIfAvailable(reason, 'the guide to sign in to other tools', () => {
  let folder: string;
  let flotilla: FlotillaProcess | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oidc-guide-'));
    prepareGuideFolder(folder);
  });
  afterEach(async () => {
    await flotilla?.remove();
    rmSync(folder, { recursive: true });
  });

  it('has settings that the server accepts, and commands that work', async () => {
    const [createSecrets = '', ...commands] = shellBlocks('sign-in-to-other-tools.md');
    const [config = ''] = codeBlocks(guideText('sign-in-to-other-tools.md'), 'yaml');
    await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', createSecrets], { cwd: folder });
    const file = join(folder, 'flotilla.yaml');
    writeFileSync(file, config.replaceAll(/(\w+\.secret)/g, join(folder, '$1')));
    const [port] = await freePorts(1);
    const listen = `127.0.0.1:${port}`;
    flotilla = await startFlotilla({
      dataDirectory: join(folder, '.flotilla'),
      listen,
      args: ['--config', file, '--external-url', `https://${listen}`],
    });
    const printed = await runBlocks(commands, { folder, flotilla });
    expect(printed).toContain(`"issuer":"https://${listen}/oidc"`);
    expect(printed).toContain('"kty":"EC"');
  });

  it('uses only scopes and endpoints that the provider has', () => {
    const text = guideText('sign-in-to-other-tools.md');
    const paths = [...text.matchAll(/flotilla\.example\.com(\/oidc\/[\w-]+)/g)].map(([, path]) => path);
    expect(new Set(paths)).toEqual(new Set(['/oidc/authorize', '/oidc/token', '/oidc/userinfo', '/oidc/end-session']));
    expect(text).toContain('scopes = openid profile email groups offline_access');
  });
});
