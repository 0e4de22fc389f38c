import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { misbehave } from '../../../test/oidc/provider-behaviour.ts';
import { ProviderAddresses } from './provider-addresses.ts';
import { openProviderFetch, type ProviderFetch } from './provider-fetch.ts';

const open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  open.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function connect(issuer: string, timeoutMilliseconds = 10_000): Promise<ProviderFetch> {
  const connections = await openProviderFetch({ issuer, timeoutMilliseconds });
  open.push(() => connections.close());
  return connections;
}

describe('requests to a provider', () => {
  it('have the parameters and return the response', async () => {
    const issuer = await serve(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      response.writeHead(401, { 'content-type': 'application/json', 'www-authenticate': 'Bearer' });
      response.end(JSON.stringify([request.method, request.headers.authorization, body]));
    });
    const { fetch } = await connect(issuer);
    const headers = { authorization: 'Basic x' };
    const response = await fetch(`${issuer}/token`, { method: 'POST', headers, body: new URLSearchParams({ a: 'b' }) });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await response.json()).toEqual(['POST', 'Basic x', 'a=b']);
  });

  it('do not follow redirects', async () => {
    const paths: string[] = [];
    const issuer = await serve((request, response) => {
      paths.push(request.url ?? '');
      response.writeHead(302, { location: '/other' }).end();
    });
    const { fetch } = await connect(issuer);
    expect((await fetch(`${issuer}/first`)).status).toBe(302);
    expect(paths).toEqual(['/first']);
  });

  it('end at a limit of size, and at a limit of time', async () => {
    const issuer = await serve((request, response) => {
      misbehave(
        request.url === '/endless' ? 'endless' : request.url === '/slow' ? 'slow' : 'silent',
        request,
        response,
      );
    });
    const { fetch } = await connect(issuer, 500);
    await expect(fetch(`${issuer}/endless`)).rejects.toMatchObject({ reason: 'Unavailable', message: /larger than/ });
    await expect(fetch(`${issuer}/slow`)).rejects.toMatchObject({ message: /time limit/ });
    await expect(fetch(`${issuer}/silent`)).rejects.toMatchObject({ message: /time limit/ });
  });

  it('accept no compressed response, which could become large', async () => {
    const issuer = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('x');
    });
    await expect((await connect(issuer)).fetch(issuer)).rejects.toMatchObject({ message: /compressed/ });
  });

  it('name no query in errors, because it may contain secrets', async () => {
    const issuer = await serve((request) => request.socket.destroy());
    const failure = (await connect(issuer)).fetch(`${issuer}/path?code=secret`);
    await expect(failure).rejects.toMatchObject({ message: expect.not.stringContaining('secret') });
  });

  it('use https, except on this machine for an issuer on this machine', async () => {
    const secure = await connect('https://login.example.com');
    await expect(secure.fetch('http://login.example.com/keys')).rejects.toMatchObject({ message: /not use https/ });
    await expect(secure.fetch('http://127.0.0.1/keys')).rejects.toMatchObject({ message: /not use https/ });
    const local = await connect('http://127.0.0.1:1');
    await expect(local.fetch('http://login.example.com/keys')).rejects.toMatchObject({ message: /not use https/ });
    await expect(local.fetch('file:///etc/passwd')).rejects.toMatchObject({ message: /not use https/ });
  });
});

describe('the addresses of a provider', () => {
  const addressesFor = (...issuerAddresses: string[]) =>
    new ProviderAddresses(new URL('https://login.example.com'), async () => issuerAddresses);
  const isDenied = async (addresses: ProviderAddresses, host: string) =>
    await addresses.checkLiteral(new URL(`https://${host}/keys`)).then(
      () => false,
      () => true,
    );

  it.each([
    [
      '93.184.216.34',
      ['8.8.8.8', '[2606:4700::1111]'],
      ['127.0.0.1', '10.0.0.1', '169.254.169.254', '[::1]', '0.0.0.0'],
    ],
    [
      '93.184.216.34',
      [],
      ['[::ffff:10.0.0.1]', '[fd00::1]', '[fe80::1]', '[64:ff9b::a00:1]', '192.168.1.1', '224.0.0.1'],
    ],
    ['10.1.2.3', ['10.0.0.1', '192.168.1.1', '[fd00::1]', '8.8.8.8'], ['127.0.0.1', '[::1]', '169.254.169.254']],
    ['127.0.0.1', ['127.0.0.1', '[::1]', '8.8.8.8'], ['10.0.0.1', '169.254.169.254', '[fe80::1]']],
    ['169.254.1.1', ['8.8.8.8'], ['169.254.169.254', '10.0.0.1', '127.0.0.1']],
  ])('of an issuer at %s may be %j and not %j', async (issuerAddress, allowed, denied) => {
    const addresses = addressesFor(issuerAddress);
    for (const host of allowed) expect(await isDenied(addresses, host), host).toBe(false);
    for (const host of denied) expect(await isDenied(addresses, host), host).toBe(true);
  });

  it('are checked when a name is resolved for a connection', async () => {
    const lookup = (addresses: ProviderAddresses, host: string) =>
      new Promise((resolve) => addresses.lookup(host, { all: true }, (error, found) => resolve(error ?? found)));
    expect(await lookup(addressesFor('93.184.216.34'), 'localhost')).toMatchObject({ code: 'EADDRDENIED' });
    expect(await lookup(addressesFor('127.0.0.1'), 'localhost')).toEqual(expect.any(Array));
    const issuer = new ProviderAddresses(new URL('https://localhost'), async () => []);
    expect(await lookup(issuer, 'localhost')).toEqual(expect.any(Array));
  });
});
