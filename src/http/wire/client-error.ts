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

/** Node's code for bytes after a request with `Connection: close`. */
const closedConnectionCode = 'HPE_CLOSED_CONNECTION';

/** Connections that are no longer parsed as HTTP. Node emits the error again for each further chunk. */
const refused = new WeakSet<Duplex>();

/**
 * Responds to bytes that are not a valid request, if a response can still be read, and closes the connection. `last` is
 * the latest response that was started there. Responses to complete requests go first; otherwise their sender would
 * mistake the error for its own response.
 */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, last?: ServerResponse): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  socket.on('error', () => socket.destroy());
  const cause = error.code ?? '';
  const isHttp = cause.startsWith('HPE_') || cause === 'ERR_HTTP_REQUEST_TIMEOUT';
  // Failed handshakes also end here. And if a response is being written, a second one would end up inside it.
  if (!isHttp || !socket.writable || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const refuse = () => sendRefusal(refusals[cause] ?? malformed, socket);
  if (last === undefined || last.closed) refuse();
  else if (!last.req.complete) whenCurrent(last, socket, refuse);
  // Node closes the connection with the last response.
  else if (cause !== closedConnectionCode) last.once('close', refuse);
}

/** Calls back when the response is next. Of pipelined requests, all earlier ones have then been answered. */
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
  // Destroyed rather than half closed: a client that sends garbage slowly would keep a half-closed one open forever.
  socket.end(`HTTP/1.1 ${refusal.line}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}

function statusOf({ reason, message, code }: Refusal): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}

/** Throws the same error for HTTP/2, where Node does not limit the size. Counts bytes as HTTP/2 does. */
export function refuseLargeHeaders(rawHeaders: readonly string[], limit: number): void {
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length, rawHeaders.length * 16);
  if (bytes > limit) throw new StatusError(statusOf(overflow));
}

/** The Host values that Go's servers accept: the characters of names, addresses and ports, in any order. */
const hostPattern = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/** Validates the Host header of an HTTP/1 request. Given two of them, parsers of the same bytes may disagree. */
export function hostProblem({ httpVersion, headersDistinct }: HostHeaders): string | undefined {
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
 * Rejects upgrade requests with a body. Node does not read the body of an upgrade request. It treats those bytes as the
 * start of the upgraded protocol, while a proxy may treat them as the body.
 */
export function refuseBody(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  const length = headers['content-length'] ?? '0';
  if (headers['transfer-encoding'] === undefined && /^0+$/.test(String(length))) return;
  const message = 'an upgrade request must not have a body';
  throw new StatusError(statusOf({ ...malformed, message }));
}

export function refuseExpectation(expectation: string | undefined): never {
  const message = `the server does not support the expectation ${JSON.stringify(expectation ?? '')}`;
  throw new StatusError(statusOf({ line: '417 Expectation Failed', code: 417, reason: 'BadRequest', message }));
}

/** True if a response has been started and not completely handed to the socket. */
function isResponding(socket: Duplex): boolean {
  const response = currentResponse(socket);
  return response?.headersSent === true && !response.writableEnded;
}

/**
 * The response that is currently assigned to the socket. Node keeps it there until the socket has accepted it, when the
 * client may have read it long ago. There is no public API for this.
 */
function currentResponse(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
