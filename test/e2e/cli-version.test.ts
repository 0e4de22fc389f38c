import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import description from '../../package.json' with { type: 'json' };
import { type CliHome, cliHome } from '../harness/cli.ts';
import { type FlotillaProcess, startFlotilla } from '../harness/flotilla-process.ts';
import { freePorts } from '../harness/start-program.mjs';

const client = `flotilla ${description.version}\n`;

describe('flotilla version', () => {
  let home: CliHome;
  let flotilla: FlotillaProcess;
  let authority: string;
  beforeAll(async () => {
    home = cliHome();
    flotilla = await startFlotilla();
    authority = join(flotilla.dataDirectory, 'ca.crt');
  });
  afterAll(async () => {
    home.remove();
    await flotilla.remove();
  });

  it('prints its own version and the reason for a missing one, and succeeds, without a login', async () => {
    const { code, stdout, stderr } = await home.run(['version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: client });
    expect(stderr).toBe('server version unknown: not logged in (log in with: flotilla login URL)\n');
  });

  it('prints the version of the server without a credential', async () => {
    const env = { FLOTILLA_URL: flotilla.url, FLOTILLA_CA_FILE: authority };
    const server = `server ${description.version} (${flotilla.url}, Kubernetes v1.34.0)\n`;
    expect(await home.run(['version'], { env })).toEqual({ code: 0, stdout: client + server, stderr: '' });
    expect(await home.run(['version', '--client'], { env })).toEqual({ code: 0, stdout: client, stderr: '' });
  });

  it('uses the saved login, in machine-readable formats too', async () => {
    await home.ok(['login', flotilla.url, '--ca-file', authority, '--access-key-stdin'], { input: flotilla.adminKey });
    expect(JSON.parse(await home.ok(['version', '-o', 'json']))).toEqual({
      client: { version: description.version, platform: `${process.platform}/${process.arch}` },
      server: { url: flotilla.url, version: description.version, kubernetesVersion: 'v1.34.0' },
      agents: [],
    });
    expect(await home.ok(['version', '-o', 'yaml'])).toMatch(/^server:\n {2}kubernetesVersion: v1/m);
    expect(await home.ok(['version', '-o', 'jsonpath={.server.version}'])).toBe(description.version);
  });

  it('succeeds if the server cannot be reached, does not answer, or is not trusted', async () => {
    const [port] = await freePorts(1);
    const closed = await home.run(['version'], { env: { FLOTILLA_URL: `https://127.0.0.1:${port}` } });
    expect(closed).toMatchObject({ code: 0, stdout: client });
    expect(closed.stderr).toMatch(/^server version unknown: .*127\.0\.0\.1/);
    const silent = createServer(() => {}).listen(port, '127.0.0.1');
    try {
      const { stdout, ...waited } = await home.run(['version', '-o', 'json'], {
        env: { FLOTILLA_URL: `https://127.0.0.1:${port}` },
      });
      expect(waited).toEqual({ code: 0, stderr: '' });
      expect(JSON.parse(stdout).note).toBe('server version unknown: no answer within 5 seconds');
    } finally {
      silent.close();
    }
    const untrusted = await home.run(['version'], {
      env: { FLOTILLA_URL: `${flotilla.url.replace('127.0.0.1', 'localhost')}` },
    });
    expect(untrusted).toMatchObject({ code: 0, stdout: client });
    expect(untrusted.stderr).toMatch(/^server version unknown: .*certificate/);
  });
});
