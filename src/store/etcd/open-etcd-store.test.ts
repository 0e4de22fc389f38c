import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { makeAuthority } from '../../../test/kubernetes/harness/authority.ts';
import { storeErrorOf } from '../suite/suite-store.ts';
import { openEtcdStore } from './etcd-store.ts';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Starts a TLS server on 127.0.0.1 whose certificate is for another address, or signed by an unknown CA. */
async function serveTls(certificateName: string): Promise<{ readonly endpoints: string; readonly ca: Buffer }> {
  const authority = await makeAuthority(certificateName);
  const { cert, key } = await authority.serving([certificateName]);
  const server = createTlsServer({ cert, key, ALPNProtocols: ['h2'] });
  // Ignores the error of a client that closes the connection during the handshake.
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  return { endpoints: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, ca: Buffer.from(authority.cert) };
}

describe('openEtcdStore', () => {
  it('rejects an untrusted certificate and one for another address immediately', async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => void warnings.push(String(warning));
    process.on('warning', onWarning);
    cleanups.push(() => process.off('warning', onWarning));
    const valid = await serveTls('127.0.0.1');
    const other = await serveTls('127.0.0.9');
    const start = performance.now();
    const untrusted = await storeErrorOf(
      openEtcdStore({ endpoints: valid.endpoints, prefix: 'p', credentials: { ca: other.ca } }),
    );
    const misplaced = await storeErrorOf(
      openEtcdStore({ endpoints: other.endpoints, prefix: 'p', credentials: { ca: other.ca } }),
    );
    // This failure is not retried. Other failures are retried for five seconds.
    expect(performance.now() - start).toBeLessThan(4_000);
    expect([untrusted.code, misplaced.code]).toEqual(['CannotOpen', 'CannotOpen']);
    expect(untrusted.message).toContain(`cannot open the store at ${valid.endpoints}: no TLS connection: `);
    expect(untrusted.message).toMatch(/(self-signed|verify|issuer).*; check that etcd serves TLS, and check its CA/);
    expect(misplaced.message).toMatch(/no TLS connection: .*altnames/);
    // Node.js would warn about an IP address that is used as a server name.
    expect(warnings).toEqual([]);
  });

  it('retries a refused connection for a limited time, and then reports it', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    const endpoints = `http://127.0.0.1:${port}`;
    const timeouts = { call: 300, member: 200 };
    const error = await storeErrorOf(openEtcdStore({ endpoints, prefix: 'p', timeouts }));
    expect(error).toMatchObject({
      code: 'CannotOpen',
      message: `cannot open the store at ${endpoints}: connect ECONNREFUSED 127.0.0.1:${port}; check that etcd runs at these addresses`,
    });
  });
});
