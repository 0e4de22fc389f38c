import type { Duplex } from 'node:stream';
import { type Status, StatusError } from '../api/status.ts';

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
  message: 'the request could not be read as HTTP',
};

const overflow: Refusal = {
  line: '431 Request Header Fields Too Large',
  code: 431,
  reason: 'RequestEntityTooLarge',
  message: 'the headers of the request are too large',
};

const refusals: Readonly<Record<string, Refusal>> = {
  HPE_HEADER_OVERFLOW: overflow,
  ERR_HTTP_REQUEST_TIMEOUT: {
    line: '408 Request Timeout',
    code: 408,
    reason: 'Timeout',
    message: 'the request did not arrive in time',
  },
};

/** Answers what never became a request, where an answer can still be read, and closes the connection. */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  const cause = error.code ?? '';
  const isHttp = cause.startsWith('HPE_') || cause === 'ERR_HTTP_REQUEST_TIMEOUT';
  // Failed handshakes come here too; and where an answer is on its way already, a second one would end up inside it.
  if (!isHttp || !socket.writable || answerBegan(socket)) {
    socket.destroy();
    return;
  }
  const refusal = refusals[cause] ?? malformed;
  const body = `${JSON.stringify(statusOf(refusal))}\n`;
  const headers = `Connection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
  // Destroyed rather than half closed: whoever sends garbage slowly would keep a half-closed one open for ever.
  socket.end(`HTTP/1.1 ${refusal.line}\r\n${headers}\r\n\r\n${body}`, () => socket.destroy());
}

function statusOf({ reason, message, code }: Refusal): Status {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}

/** The same refusal for HTTP/2, where Node passes on any number of bytes; counted as HTTP/2 counts them. */
export function refuseLargeHeaders(rawHeaders: readonly string[], limit: number): void {
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length, rawHeaders.length * 16);
  if (bytes > limit) throw new StatusError(statusOf(overflow));
}

/** HTTP/1.1 asks for one, and for a refusal where there is none. */
export function requireHost(host: string | undefined): void {
  if (host === undefined) throw new StatusError(statusOf({ ...malformed, message: 'missing required Host header' }));
}

/**
 * Node reads no body where another protocol is asked for: to one who does, the same bytes would be a body, and to another
 * the beginning of what comes after it.
 */
export function refuseBody(headers: Readonly<Record<string, string | string[] | undefined>>): void {
  const length = headers['content-length'] ?? '0';
  if (headers['transfer-encoding'] === undefined && /^0+$/.test(String(length))) return;
  const message = 'a request that asks for another protocol must not have a body';
  throw new StatusError(statusOf({ ...malformed, message }));
}

export function refuseExpectation(expectation: string | undefined): never {
  const message = `the server cannot meet the expectation ${JSON.stringify(expectation ?? '')}`;
  throw new StatusError(statusOf({ line: '417 Expectation Failed', code: 417, reason: 'BadRequest', message }));
}

/**
 * Whether an answer is on its way that is not all handed over yet. Node keeps it on its socket until the socket has
 * taken it, when the client may long have read it; there is no public way to ask.
 */
function answerBegan(socket: Duplex): boolean {
  const { _httpMessage: response } = socket as Duplex & { _httpMessage?: Underway | null };
  return response?.headersSent === true && !response.writableEnded;
}

interface Underway {
  readonly headersSent: boolean;
  readonly writableEnded: boolean;
}
