import { once } from 'node:events';
import { createServer as createProxy, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type KeyPairPem, selfSigned } from '../../../test/harness/self-signed.ts';
import { sendRequest } from '../../client/send-request.ts';
import { type HttpsFetch, httpsFetch } from './https-fetch.ts';
import { checkServerCertificate } from './server-certificate.ts';

let pair: KeyPairPem;
const open: (Server | HttpServer)[] = [];
const fetches: HttpsFetch[] = [];
beforeAll(async () => {
  pair = await selfSigned();
});
afterEach(async () => {
  for (const one of fetches.splice(0)) one.close();
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }
});

async function listening(server: Server | HttpServer): Promise<number> {
  open.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

type Handler = Parameters<typeof createServer>[1];
const serve = async (handler: Handler) => `https://127.0.0.1:${await listening(createServer(pair, handler))}`;

function fetchOf(url: string, environment: Record<string, string> = {}, authority: string | undefined = pair.cert) {
  const warnings: string[] = [];
  const made = httpsFetch({ url, authority, environment, warn: (text) => warnings.push(text) });
  fetches.push(made);
  const ask = (method = 'GET', body?: string, signal?: AbortSignal) =>
    sendRequest(
      { fetch: made.fetch },
      {
        method,
        url: `${url}/x`,
        ...(body === undefined ? {} : { body: { type: 'application/json', text: body } }),
        ...(signal === undefined ? {} : { signal }),
      },
    );
  return { ask, warnings };
}

describe('a request', () => {
  it('sends its body with every method and passes warnings on', async () => {
    const url = await serve(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      response.setHeader('Warning', '299 - "mind the \\"gap\\"", 299 - "and the step"');
      response.end(`${request.method} ${body}`);
    });
    const { ask, warnings } = fetchOf(url);
    for (const method of ['POST', 'DELETE']) expect(await (await ask(method, '{}')).text()).toBe(`${method} {}`);
    expect(warnings.slice(0, 2)).toEqual(['mind the "gap"', 'and the step']);
  });

  it('is retried after 429', async () => {
    let asked = 0;
    const url = await serve((_request, response) => {
      asked += 1;
      response.statusCode = asked < 3 ? 429 : 200;
      response.setHeader('Retry-After', '0');
      response.end('done');
    });
    expect(await (await fetchOf(url).ask()).text()).toBe('done');
    expect(asked).toBe(3);
  });

  it('fails with the cause: no server, an untrusted certificate, a broken stream', async () => {
    const gone = await serve(() => {});
    await new Promise((resolve) => open.pop()?.close(resolve));
    await expect(fetchOf(gone).ask()).rejects.toThrow(/cannot reach the server at .* \(ECONNREFUSED\)/);
    const url = await serve((_request, response) => {
      response.write('half');
      response.destroy();
    });
    const broken = fetchOf(url).ask();
    await expect(broken.then((answer) => answer.text())).rejects.toThrow(/cannot reach the server/);
    const other = await selfSigned('other');
    await expect(fetchOf(url, {}, other.cert).ask()).rejects.toThrow(/is not trusted .*flotilla login/);
  });

  it('is aborted by the signal, before and during the response', async () => {
    const url = await serve((_request, response) => void response.write('first\n'));
    const controller = new AbortController();
    const answer = await fetchOf(url).ask('GET', undefined, controller.signal);
    const reading = answer.text();
    controller.abort(new Error('enough'));
    await expect(reading).rejects.toThrow('enough');
    await expect(fetchOf(url).ask('GET', undefined, controller.signal)).rejects.toThrow('enough');
  });
});

describe('a request through a proxy', () => {
  async function proxy(answer = 'HTTP/1.1 200 OK\r\n\r\n') {
    const asked: (string | undefined)[] = [];
    const server = createProxy();
    server.on('connect', (request, socket) => {
      asked.push(request.url, request.headers['proxy-authorization']);
      socket.write(answer);
      if (!answer.includes(' 200 ')) return void socket.end();
      const onward = connect(Number(request.url?.split(':')[1]), '127.0.0.1');
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
      socket.pipe(onward).pipe(socket);
    });
    return { asked, url: `http://anna:p%40ss@127.0.0.1:${await listening(server)}` };
  }

  it('has end-to-end TLS with the server', async () => {
    const url = await serve((_request, response) => void response.end('through'));
    const { asked, url: through } = await proxy();
    expect(await (await fetchOf(url, { HTTPS_PROXY: through }).ask()).text()).toBe('through');
    expect(asked).toEqual([new URL(url).host, `Basic ${Buffer.from('anna:p@ss').toString('base64')}`]);
    expect(await checkServerCertificate(url, { HTTPS_PROXY: through })).toMatchObject({ trusted: false });
    expect(await (await fetchOf(url, { HTTPS_PROXY: through, NO_PROXY: '127.0.0.1' }).ask()).text()).toBe('through');
    expect(asked).toHaveLength(4);
  });

  it('names the proxy if the proxy rejects it', async () => {
    const { url: through } = await proxy('HTTP/1.1 407 No\r\n\r\n');
    await expect(fetchOf('https://127.0.0.1:1', { HTTPS_PROXY: through }).ask()).rejects.toThrow(
      /proxy 127.* returned 407/,
    );
  });
});

describe('a server with an untrusted certificate', () => {
  it('presents its CA with the fingerprint', async () => {
    const url = await serve((_request, response) => void response.end());
    const peer = await checkServerCertificate(url, {});
    expect(peer).toMatchObject({
      trusted: false,
      authority: { fingerprint: expect.stringMatching(/^SHA256:([0-9A-F]{2}:){31}[0-9A-F]{2}$/) },
    });
    expect(peer.trusted ? '' : peer.authority?.pem.trim()).toBe(pair.cert.trim());
  });
});
