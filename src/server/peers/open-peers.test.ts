import { type RequestOptions, request } from 'node:https';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AuditQuery } from '../../api/audit/audit-query.ts';
import { expired } from '../../api/status.ts';
import { auditEvent } from '../../audit/audit-event.fixture.ts';
import type { AuditSearchResult } from '../../audit/search-audit-log.ts';
import { ManualClock, systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/log.ts';
import { type CertificatePair, createAuthority } from '../../process/certificates.ts';
import { createReplicaCertificate, createServingCertificate } from '../../process/make-certificate.ts';
import { openPeers, type Peers } from './open-peers.ts';
import { PeerCredentials, type PeerTls } from './peer-credentials.ts';
import { peerName } from './peer-names.ts';

const hour = 60 * 60_000;
const nothing: AuditSearchResult = { lines: [], positions: [], continue: undefined, oldestSearchedTime: undefined };
const never = new AbortController().signal;

let authority: CertificatePair;
let clock: ManualClock;
let queries: AuditQuery[];
let respond: (signal: AbortSignal) => Promise<AuditSearchResult>;
let first: Peers;
let second: Peers;

beforeAll(async () => {
  authority = await createAuthority(systemClock);
});
beforeEach(async () => {
  clock = new ManualClock();
  queries = [];
  respond = async () => nothing;
  first = await open('first');
  second = await open('second');
});
afterEach(async () => {
  await first.close();
  await second.close();
});

function open(id: string): Promise<Peers> {
  return openPeers({
    id,
    authority,
    listen: { host: '127.0.0.1', port: 0 },
    search: (query, signal) => {
      queries.push(query);
      return respond(signal);
    },
    verify: async () => ({ files: ['audit.log'], lines: 1, unprotectedLines: 0, problems: [], notices: [] }),
    serveTunnel: (connection) => connection.destroy(),
    clock,
    log: silentLog,
  });
}

const locationOf = (id: string, { address = '' }: Peers) => ({ id, address });

describe('a search at another replica', () => {
  it('returns what the other replica has found', async () => {
    const lines = [auditEvent({ auditID: 'ä\u2028' }), auditEvent({ auditID: 'b' })].map((event) =>
      JSON.stringify(event),
    );
    const result = { lines, positions: ['p', 'q'], continue: 'r', oldestSearchedTime: 5 };
    respond = async () => result;
    const query: AuditQuery = { user: 'anna & co', limit: 7, since: '2026-01-01T00:00:00Z', continue: 'token' };
    expect(await first.search(locationOf('second', second), query, never)).toEqual(result);
    expect(queries).toEqual([query]);
    respond = async () => nothing;
    expect(await first.search(locationOf('second', second), {}, never)).toEqual(nothing);
  });

  it('verifies the log of the other replica', async () => {
    expect(await first.verify(locationOf('second', second), never)).toMatchObject({ files: ['audit.log'], lines: 1 });
  });

  it('rejects with the reason', async () => {
    respond = async () => {
      throw expired('the file has been removed');
    };
    await expect(first.search(locationOf('second', second), {}, never)).rejects.toThrow('the file has been removed');
    respond = async () => {
      throw new Error('secret detail');
    };
    await expect(first.search(locationOf('second', second), {}, never)).rejects.toThrow(/^the search failed; see the/);
    const wrong = first.search(locationOf('third', second), {}, never);
    await expect(wrong).rejects.toThrow(/^it cannot be reached at 127.0.0.1:\d+ \(ERR_TLS_CERT_ALTNAME_INVALID\)$/);
    await second.close();
    const closed = first.search(locationOf('second', second), {}, never);
    await expect(closed).rejects.toThrow(/^it cannot be reached at 127.0.0.1:\d+ \(ECONNREFUSED\)$/);
  });

  it('ends after eight seconds, also at the other replica', async () => {
    const ended = new Promise<void>((resolve) => {
      respond = (signal) =>
        new Promise(() => {
          signal.addEventListener('abort', () => resolve());
          clock.advance(8_000);
        });
    });
    const searching = first.search(locationOf('second', second), {}, never);
    await expect(searching).rejects.toThrow('it did not respond within 8 seconds');
    await ended;
  });
});

/** Sends a request with the given TLS options. Returns the response code, or the code of the error. */
function send(tls: Partial<PeerTls>, options: RequestOptions = {}): Promise<number | string | undefined> {
  const { hostname, port } = new URL(`https://${second.address}`);
  return new Promise((resolve) => {
    const sent = request(
      {
        host: hostname,
        port,
        path: '/audit',
        agent: false,
        servername: peerName('second'),
        ca: authority.cert,
        ...tls,
        ...options,
      },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    sent.end();
  });
}

describe('the listener for replicas', () => {
  const replicaCertificate = (name: string, issuer = authority) =>
    createReplicaCertificate(issuer, name, systemClock.now(), hour);

  it('accepts only certificates of replicas', async () => {
    expect(await send(await replicaCertificate(peerName('third')))).toBe(200);
    expect(await send({})).toEqual(expect.any(String));
    const other = await createAuthority(systemClock);
    expect(await send(await replicaCertificate(peerName('third'), other))).toEqual(expect.any(String));
    const serving = await createServingCertificate(authority, [peerName('third')], systemClock.now(), hour);
    expect(await send(serving)).toEqual(expect.any(String));
    expect(await send(await replicaCertificate('third.example.com'))).toBe(403);
    expect(await send(await replicaCertificate(`${peerName('third')}.example.com`))).toBe(403);
    const old = await createReplicaCertificate(authority, peerName('third'), systemClock.now() - 3 * hour, hour);
    expect(await send(old)).toEqual(expect.any(String));
    expect(queries).toEqual([{}]);
  });

  it('allows nothing but searches and verifications', async () => {
    const tls = await replicaCertificate(peerName('third'));
    expect(await send(tls, { method: 'POST' })).toBe(405);
    expect(await send(tls, { path: '/backup' })).toBe(404);
    expect(await send(tls, { path: '/audit/../backup' })).toBe(404);
    expect(await send(tls, { path: '/audit?usr=anna' })).toBe(400);
    expect(queries).toEqual([]);
  });
});

it('the certificate of a replica is renewed again and again', async () => {
  const credentials = await PeerCredentials.open({ id: 'first', authority, clock, log: silentLog });
  const seen = [credentials.tls];
  let onRenewed = () => {};
  credentials.renew((tls) => {
    seen.push(tls);
    onRenewed();
  });
  for (const count of [2, 3]) {
    const renewed = new Promise<void>((resolve) => {
      onRenewed = resolve;
    });
    clock.advance(12 * hour);
    await renewed;
    expect(credentials.tls).toBe(seen[count - 1]);
    // The next renewal is scheduled when this renewal is complete.
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(new Set(seen.map(({ cert }) => cert)).size).toBe(3);
  credentials.close();
});

it('a certificate authority with another type of key does not prevent the start', async () => {
  const peers = await openPeers({
    id: 'first',
    authority: { ...authority, key: 'none' },
    listen: { host: '127.0.0.1', port: 0 },
    search: async () => nothing,
    verify: () => Promise.reject(new Error('not reached')),
    serveTunnel: (connection) => connection.destroy(),
    clock,
    log: silentLog,
  });
  expect(peers.address).toBeUndefined();
  await expect(peers.search(locationOf('second', second), {}, never)).rejects.toThrow('has no certificate');
});
