import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { type Status, StatusError } from '../../api/status.ts';

interface Refusal {
  readonly line: string;
  readonly code: number;
  readonly reason: NonNullable<Status['reason']>;
  readonly message: string;
}

const malformed: Refusal = {
  line: '400 Bad Request',
  code: 400,
  reason: 'BadRequest',
  message: 'the request is not valid HTTP',
};

const overflow: Refusal = {
  line: '431 Request Header Fields Too Large',
  code: 431,
  reason: 'RequestEntityTooLarge',
  message: 'the request headers are too large',
};

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: overflow,
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: '408 Request Timeout',
    code: 408,
    reason: 'Timeout',
    message: 'timed out waiting for the complete request',
  },
};

/** Node's error code for bytes that follow a request with `Connection: close`. */
const closedConnectionCode = 'HPE_CLOSED_CONNECTION';

/** Connections that have been refused. Node emits the same error again for each further chunk on such a connection. */
const refused = new WeakSet<Duplex>();

/**
 * Responds to bytes that are not a valid HTTP request, and closes the connection. `last` is the response that was
 * started last on the connection. The error is sent after the responses to earlier valid requests, because the client
 * could otherwise mistake it for one of those responses.
 */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, last?: ServerResponse): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  socket.on('error', () => socket.destroy());
  const cause = error.code ?? '';
  const isHttp = cause.startsWith('HPE_') || cause === 'ERR_HTTP_REQUEST_TIMEOUT';
  // Send no response after a failed TLS handshake, and none in the middle of another response.
  if (!isHttp || !socket.writable || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const refuse = () => sendRefusal(refusals[cause] ?? malformed, socket);
  if (last === undefined || last.closed) refuse();
  else if (!last.req.complete) whenCurrent(last, socket, refuse);
  // After a request with `Connection: close`, Node closes the connection itself, so nothing is sent.
  else if (cause !== closedConnectionCode) last.once('close', refuse);
}

/**
 * Calls `act` when `response` is the current response of the socket, after all responses to earlier pipelined requests
 * have been sent.
 */
function whenCurrent(response: ServerResponse, socket: Duplex, act: () => void): void {
  if (currentResponse(socket) === response) act();
  else response.once('socket', act);
}

function sendRefusal(refusal: Refusal, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = `${JSON.stringify(statusOf(refusal))}\n`;
  const headers = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  // Destroy the socket instead of only closing the sending half. Otherwise, a client that keeps sending invalid data
  // slowly would keep the socket open forever.
  socket.end(`HTTP/1.1 ${refusal.line}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}

function statusOf({ reason, message, code }: Refusal): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}

/**
 * Throws 431 if the headers of an HTTP/2 request are too large, because Node does not check this. As HTTP/2 defines the
 * size, 32 bytes are added to the length of each header's name and value.
 */
export function refuseLargeHeaders(rawHeaders: readonly string[], limit: number): void {
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length, rawHeaders.length * 16);
  if (bytes > limit) throw new StatusError(statusOf(overflow));
}

/** Matches the Host headers that Go's servers accept: characters of names, addresses and ports, in any order. */
const hostPattern = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/**
 * Returns the error of the Host header; `undefined` if the header is valid. Two Host headers are invalid, because this
 * server and another program might use different ones.
 */
export function hostHeaderProblem({ httpVersion, headersDistinct }: HostHeaders): string | undefined {
  const [host, ...others] = headersDistinct.host ?? [];
  if (host === undefined) return httpVersion === '1.1' ? 'missing required Host header' : undefined;
  if (others.length > 0) return 'too many Host headers';
  return hostPattern.test(host) ? undefined : 'malformed Host header';
}

type HostHeaders = Pick<IncomingMessage, 'httpVersion' | 'headersDistinct'>;

export function refuseHost(problem: string | undefined): void {
  if (problem !== undefined) throw new StatusError(statusOf({ ...malformed, message: problem }));
}

/**
 * Throws if an upgrade request has a body. Node does not read that body, but treats its bytes as the start of the
 * upgraded protocol. A proxy in front of this server may treat the same bytes as the body.
 */
export function refuseUpgradeBody(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  const length = headers['content-length'] ?? '0';
  if (headers['transfer-encoding'] === undefined && /^0+$/.test(String(length))) return;
  const message = 'an upgrade request must not have a body';
  throw new StatusError(statusOf({ ...malformed, message }));
}

export function refuseExpectation(expectation: string | undefined): never {
  const message = `the server does not support the expectation ${JSON.stringify(expectation ?? '')}`;
  throw new StatusError(statusOf({ line: '417 Expectation Failed', code: 417, reason: 'BadRequest', message }));
}

/** True if a response has been started on the socket and has not been written completely. */
function isResponding(socket: Duplex): boolean {
  const response = currentResponse(socket);
  return response?.headersSent === true && !response.writableEnded;
}

/**
 * Returns the response that Node is writing to the socket. A response is current until the socket has accepted all of
 * its bytes, even if the client has read them already. Node has no public API for this.
 */
function currentResponse(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
