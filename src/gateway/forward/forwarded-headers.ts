import { consoleProtocolPrefix } from '../../api/console-protocol.ts';
import { hopByHopHeaders } from '../../hosts/hop-by-hop-headers.ts';
import type { ApiResponse } from '../../hosts/host.ts';
import type { IncomingRequest } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { bearerProtocolPrefix } from '../../http/wire/web-socket.ts';

const hopByHopSet = new Set(hopByHopHeaders);

/** Headers that state who the caller is or where the request comes from. A client must not set them in a cluster. */
const callerHeaders = new Set([
  'authorization',
  'cookie',
  'forwarded',
  'host',
  'expect',
  'via',
  'x-real-ip',
  'audit-id',
]);
const callerHeaderPrefixes = ['impersonate-', 'x-remote-', 'x-forwarded-'];

/**
 * Response headers that are not returned to the client. A browser would apply them to all later requests to this
 * server, for example as the address for network error reports.
 */
const serverHeaders = new Set([
  'accept-ch',
  'alt-svc',
  'audit-id',
  'clear-site-data',
  'critical-ch',
  'expect-ct',
  'nel',
  'origin-trial',
  'public-key-pins',
  'report-to',
  'reporting-endpoints',
  'sec-session-registration',
  'secure-session-registration',
  'server',
  'service-worker-allowed',
  'set-cookie',
  'set-cookie2',
  'set-login',
  'strict-transport-security',
  'use-as-dictionary',
  'www-authenticate',
]);

/** The values that this server adds to the headers of a forwarded request. */
export interface ForwarderInfo {
  readonly auditId: string;
  /** The `traceparent` header that replaces the client's. Optional; by default, the client's header is forwarded. */
  readonly traceparent?: string | undefined;
  /** The name of this server for `Via`. */
  readonly via: string;
}

/** The prefixes of WebSocket subprotocols that are meant only for this server. */
const ownProtocolPrefixes = [bearerProtocolPrefix, consoleProtocolPrefix];

const viaPattern = /\b1\.1 flotilla-[0-9a-f-]{36}(?=\s*(?:,|$))/g;

/** Returns the request headers to forward to the cluster. */
export function forwardedRequestHeaders(
  { headers, upgrade }: IncomingRequest,
  { auditId, traceparent, via }: ForwarderInfo,
): Record<string, string> {
  const listed = headersListedIn(headers.connection);
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHopSet.has(name) || callerHeaders.has(name) || listed.has(name)) continue;
    if (callerHeaderPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    forwarded[name] = value;
  }
  forwarded['audit-id'] = auditId;
  if (traceparent !== undefined) forwarded.traceparent = traceparent;
  forwarded.via = [...(headers.via?.match(viaPattern) ?? []), `1.1 ${via}`].join(', ');
  if (upgrade === undefined) return forwarded;
  delete forwarded['content-length'];
  const protocols = offeredProtocols(forwarded['sec-websocket-protocol']);
  if (protocols === '') delete forwarded['sec-websocket-protocol'];
  else forwarded['sec-websocket-protocol'] = protocols;
  return forwarded;
}

/** Returns the headers to forward with an upgrade request, including `Connection` and `Upgrade`. */
export function forwardedUpgradeHeaders(request: IncomingRequest, forwarder: ForwarderInfo): Record<string, string> {
  return { ...forwardedRequestHeaders(request, forwarder), connection: 'Upgrade', upgrade: request.upgrade ?? '' };
}

/** Returns the response headers to send to the client. `root` is the path at which this server serves the cluster. */
export function returnedResponseHeaders(headers: ApiResponse['headers'], root: string): Reply['headers'] {
  const listed = headersListedIn(headers.connection);
  const forwarded: Reply['headers'] = {};
  for (const [name, value] of Object.entries(headers)) {
    if (hopByHopSet.has(name) || serverHeaders.has(name) || listed.has(name)) continue;
    forwarded[name] = typeof value === 'string' ? value : [...value];
  }
  const { location } = forwarded;
  if (typeof location === 'string' && /^\/(?!\/)/.test(location)) forwarded.location = `${root}${location}`;
  return forwarded;
}

/** Returns the headers of a `101 Switching Protocols` response, including the protocol that both sides agreed on. */
export function returnedUpgradeHeaders(headers: ApiResponse['headers'], root: string): Reply['headers'] {
  const { upgrade } = headers;
  return {
    ...returnedResponseHeaders(headers, root),
    connection: 'Upgrade',
    ...(upgrade === undefined ? {} : { upgrade: typeof upgrade === 'string' ? upgrade : [...upgrade] }),
  };
}

function headersListedIn(connection: string | readonly string[] | undefined): ReadonlySet<string> {
  if (connection === undefined) return noHeaders;
  return new Set([connection].flat().flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())));
}

const noHeaders: ReadonlySet<string> = new Set();

/**
 * Returns the WebSocket subprotocols to forward. Removes the subprotocols that contain a browser's bearer token or
 * identify its login, because they are meant only for this server.
 */
function offeredProtocols(offered: string | undefined): string {
  return (offered ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !ownProtocolPrefixes.some((prefix) => name.startsWith(prefix)))
    .join(', ');
}
