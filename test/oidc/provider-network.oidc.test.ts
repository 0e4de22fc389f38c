import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type OpenConnector, openConnector } from '../../src/auth/oidc/open-connector.ts';
import { openProviderFetch } from '../../src/auth/oidc/provider-fetch.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { silentLog } from '../../src/lib/log.ts';
import { connectorSettings } from './connector.fixture.ts';
import { HostileProvider } from './hostile-provider.fixture.ts';
import { misbehave } from './provider-behaviour.ts';

const redirectUri = 'https://flotilla.test/auth/oidc/company/callback';
const never = new AbortController().signal;
const unavailable = { name: 'ProviderError', reason: 'Unavailable' };

let provider: HostileProvider;
let connector: OpenConnector;
/** A service on the server's machine. No provider may be able to make the server send requests to this service. */
let internal: Server;
let internalRequests: string[];

beforeEach(async () => {
  provider = await HostileProvider.start();
  const { issuer, clientId, clientSecretFile } = provider;
  connector = openConnector({
    settings: connectorSettings({ issuer, clientId, clientSecretFile }),
    clock: systemClock,
    log: silentLog,
  });
  internalRequests = [];
  internal = createServer((request, response) => {
    internalRequests.push(request.url ?? '');
    response.end('{}');
  });
  await once(internal.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  internal.close();
  internal.closeAllConnections();
  await connector.close();
  await provider.close();
});

const internalPort = () => (internal.address() as AddressInfo).port;

async function signIn() {
  const { url, pending } = await connector.start(redirectUri, never);
  return await connector.finish(pending, provider.back(url), never);
}

describe('the discovery document of a provider', () => {
  const endpoints = ['token_endpoint', 'jwks_uri', 'userinfo_endpoint'];
  const addresses = [
    'http://169.254.169.254/latest/meta-data',
    'http://[fd00:ec2::254]/',
    'https://169.254.169.254/',
    'https://10.0.0.1/',
    'https://[::ffff:169.254.169.254]/',
    'https://0.0.0.0/',
    'http://login.example.com/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/',
    'data:application/json,{}',
    'unix:/var/run/docker.sock',
  ];

  it.each(endpoints.flatMap((name) => addresses.map((address) => [name, address])))(
    'cannot name the endpoint %s at %s',
    async (name, address) => {
      provider.metadata = { [name]: address };
      // The ID token has no groups, so the connector needs the userinfo endpoint.
      provider.claims = { preferred_username: 'mallory' };
      await expect(signIn()).rejects.toMatchObject(unavailable);
    },
  );

  it.each(['javascript:alert(1)', 'data:text/html,x', 'http://login.example.com/auth', 'x', ''])(
    'cannot name the sign-in page %j',
    async (address) => {
      provider.metadata = { authorization_endpoint: address };
      await expect(connector.start(redirectUri, never)).rejects.toMatchObject(unavailable);
      provider.metadata = { end_session_endpoint: address };
      await expect(connector.signOutUrl(undefined, 'https://flotilla.test', never)).rejects.toMatchObject(unavailable);
    },
  );

  it.each(['https://login.other.test', 'HTTP://127.0.0.1', 7, null])('cannot name the issuer %j', async (issuer) => {
    provider.metadata = { issuer };
    await expect(connector.start(redirectUri, never)).rejects.toMatchObject(unavailable);
  });

  it.each(['/.well-known/openid-configuration', '/token', '/jwks'])(
    'cannot lead elsewhere with a redirect of %s',
    async (from) => {
      provider.intercept = (path, response) => {
        if (path !== from) return false;
        response.writeHead(307, { location: `http://127.0.0.1:${internalPort()}/secret` }).end();
        return true;
      };
      await expect(signIn()).rejects.toMatchObject({ name: 'ProviderError' });
      expect(internalRequests).toEqual([]);
    },
  );
});

describe('requests to a provider on the Internet', () => {
  it.each(['127.0.0.1', 'localhost', '[::1]', '0x7f.1', '2130706433', '0.0.0.0', '[::ffff:127.0.0.1]'])(
    'do not reach %s of this machine, whatever the port',
    async (host) => {
      const { fetch, close } = await openProviderFetch({
        issuer: 'https://login.example.com',
        resolve: async () => ['93.184.215.14'],
      });
      for (const protocol of ['http', 'https']) {
        await expect(fetch(`${protocol}://${host}:${internalPort()}/secret`)).rejects.toMatchObject(unavailable);
      }
      await close();
      expect(internalRequests).toEqual([]);
    },
  );
});

describe('a provider that sends documents without an end', () => {
  it.each(['/.well-known/openid-configuration', '/token', '/jwks'])('is refused at %s', async (endless) => {
    provider.intercept = (path, response) => path === endless && misbehave('endless', response.req, response);
    await expect(signIn()).rejects.toMatchObject(unavailable);
  });

  it('does not use memory by compression', async () => {
    provider.intercept = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end('');
      return true;
    };
    await expect(signIn()).rejects.toMatchObject(unavailable);
  });
});
