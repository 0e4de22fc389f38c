import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '@flotilla/json';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readOptions } from './options.ts';

const redirectUris = ['https://grafana.test/login/generic_oauth'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'oidc-settings-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(oidcProvider: JsonObject, others: JsonObject = { externalUrl: 'https://flotilla.test' }) {
  const config = join(folder, 'config.yaml');
  await writeFile(config, JSON.stringify({ auth: { oidcProvider }, ...others }));
  return (await readOptions({ config })).auth.oidcProvider;
}
const withClient = (client: JsonObject) => read({ enabled: true, clients: [client] });

describe('auth.oidcProvider', () => {
  it('has defaults for all members of a client but its ID and its redirect URIs', async () => {
    expect(await withClient({ id: 'grafana', redirectUris })).toEqual({
      enabled: true,
      clients: [
        {
          id: 'grafana',
          name: 'grafana',
          secretFile: undefined,
          redirectUris,
          postLogoutRedirectUris: [],
          allowedTeams: [],
          tokenTTL: 3600,
          refreshTTL: 604_800,
        },
      ],
    });
  });

  it('needs an external URL and the console, but only if it is enabled', async () => {
    await expect(read({ enabled: true }, {})).rejects.toThrow('auth.oidcProvider needs --external-url');
    const others = { externalUrl: 'https://flotilla.test', console: { enabled: false } };
    await expect(read({ enabled: true }, others)).rejects.toThrow('auth.oidcProvider needs the console');
    expect(await read({ enabled: false }, {})).toEqual({ enabled: false, clients: [] });
  });

  it('needs secrets of 32 characters in files that exist', async () => {
    const secretFile = join(folder, 'secret');
    const client = { id: 'grafana', redirectUris, secretFile };
    await expect(withClient(client)).rejects.toThrow('the client grafana has a "secretFile" that does not exist');
    await writeFile(secretFile, 'too short, and with a new line\n');
    await expect(withClient(client)).rejects.toThrow('needs a secret of at least 32 characters');
    await writeFile(secretFile, `${'0123456789abcdef'.repeat(2)}\n`);
    expect((await withClient(client)).clients[0]?.secretFile).toBe(secretFile);
  });

  it('refuses clients without or with invalid IDs, and IDs that are used twice', async () => {
    for (const id of ['', '-x', 'a b', 'x'.repeat(65)])
      await expect(withClient({ id, redirectUris })).rejects.toThrow('needs an "id"');
    const clients = ['a', 'a'].map((id) => ({ id, redirectUris }));
    await expect(read({ enabled: true, clients })).rejects.toThrow('two clients have the id a');
    await expect(withClient({ id: 'a' })).rejects.toThrow('the client a needs "redirectUris"');
    await expect(withClient({ id: 'a', redirectUris, tokenTTL: 5 })).rejects.toThrow('tokenTTL');
    await expect(withClient({ id: 'a', redirectUris, secret: 'x' })).rejects.toThrow('is not a known setting');
  });

  it('refuses redirect URIs with patterns, fragments, credentials or without TLS', async () => {
    for (const uri of [
      'grafana.test',
      '/login',
      'https://*.test/login',
      'https://grafana.test/login#',
      'https://grafana.test/login#x',
      'https://user:password@grafana.test/login',
      'http://grafana.test/login',
      'http://localhost.test/login',
      'javascript:alert(1)',
      'com.example.app:/callback',
    ])
      await expect(withClient({ id: 'a', redirectUris: [uri] }), uri).rejects.toThrow('redirectUris');
    for (const uri of ['http://localhost:8085/auth/callback', 'http://127.0.0.1/', 'http://[::1]:1/x?y=1'])
      expect((await withClient({ id: 'a', redirectUris: [uri] })).clients[0]?.redirectUris).toEqual([uri]);
  });
});
