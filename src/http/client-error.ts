import type { IncomingMessage, ServerResponse } from 'node:http';
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

/** Bytes after a request that said it is the last one. */
const afterTheLast = 'HPE_CLOSED_CONNECTION';

/** Those whose bytes are no longer read as HTTP. Node tells of it again with whatever else they send. */
const refused = new WeakSet<Duplex>();

/**
 * Answers what never became a request, where an answer can still be read, and closes the connection. `last`: the answer
 * that was begun last there. Those of requests that have come as a whole go first, or whoever sent them would take the
 * refusal for theirs.
 */
export function refuseConnection(error: NodeJS.ErrnoException, socket: Duplex, last?: ServerResponse): void {
  if (refused.has(socket)) return;
  refused.add(socket);
  socket.on('error', () => socket.destroy());
  const cause = error.code ?? '';
  const isHttp = cause.startsWith('HPE_') || cause === 'ERR_HTTP_REQUEST_TIMEOUT';
  // Failed handshakes come here too; and where an answer is on its way already, a second one would end up inside it.
  if (!isHttp || !socket.writable || answerBegan(socket)) {
    socket.destroy();
    return;
  }
  const refuse = () => answerRefusal(refusals[cause] ?? malformed, socket);
  if (last === undefined || last.closed) refuse();
  else if (!last.req.complete) whenNext(last, socket, refuse);
  // Node closes the connection with the last answer.
  else if (cause !== afterTheLast) last.once('close', refuse);
}

/** Of several requests at once all others have been answered by then. */
function whenNext(response: ServerResponse, socket: Duplex, act: () => void): void {
  if (underwayOn(socket) === response) act();
  else response.once('socket', act);
}

function answerRefusal(refusal: Refusal, socket: Duplex): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
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

/** What Go's servers take for one: the characters that a name, an address and a port may have, in any order. */
const hostForm = /^[\w!$%&'()*+,\-.:;=[\]~]*$/;

/** What is wrong with the Host of a request of HTTP/1: of two, readers of the same bytes may take different ones. */
export function hostProblem({ httpVersion, headersDistinct }: HostBearer): string | undefined {
  const [host, ...others] = headersDistinct.host ?? [];
  if (host === undefined) return httpVersion === '1.1' ? 'missing required Host header' : undefined;
  if (others.length > 0) return 'too many Host headers';
  return hostForm.test(host) ? undefined : 'malformed Host header';
}

type HostBearer = Pick<IncomingMessage, 'httpVersion' | 'headersDistinct'>;

export function refuseHost(problem: string | undefined): void {
  if (problem !== undefined) throw new StatusError(statusOf({ ...malformed, message: problem }));
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

/** Whether an answer is on its way that is not all handed over yet. */
function answerBegan(socket: Duplex): boolean {
  const response = underwayOn(socket);
  return response?.headersSent === true && !response.writableEnded;
}

/**
 * The answer whose turn it is. Node keeps it on its socket until the socket has taken it, when the client may long have
 * read it; there is no public way to ask.
 */
function underwayOn(socket: Duplex): ServerResponse | undefined {
  return (socket as Duplex & { _httpMessage?: ServerResponse | null })._httpMessage ?? undefined;
}
