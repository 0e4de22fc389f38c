import { connectionHeaders } from '../../hosts/connection-headers.ts';
import type { ApiResponse } from '../../hosts/host.ts';
import type { IncomingRequest } from '../../http/exchange.ts';
import type { Reply } from '../../http/reply.ts';
import { bearerProtocolPrefix } from '../../http/wire/web-socket.ts';

const hopByHopHeaders = new Set(connectionHeaders);

/** Only the gateway may state who the caller is and where the request comes from. */
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
 * Headers that a browser would attribute to this server and apply to all later requests to it, for example where to
 * send network error reports.
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

/** The audit id of a forwarded request, and this server's name for `Via`. */
export interface ForwarderInfo {
  readonly auditId: string;
  readonly via: string;
}

const viaPattern = /\b1\.1 flotilla-[0-9a-f-]{36}(?=\s*(?:,|$))/g;

/** Returns the request headers to forward to the target. */
export function forwardedRequestHeaders(
  { headers, upgrade }: IncomingRequest,
  { auditId, via }: ForwarderInfo,
): Record<string, string> {
  const listed = headersListedIn(headers.connection);
  const forwarded: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || hopByHopHeaders.has(name) || callerHeaders.has(name) || listed.has(name)) continue;
    if (callerHeaderPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    forwarded[name] = value;
  }
  forwarded['audit-id'] = auditId;
  forwarded.via = [...(headers.via?.match(viaPattern) ?? []), `1.1 ${via}`].join(', ');
  if (upgrade === undefined) return forwarded;
  delete forwarded['content-length'];
  const protocols = offeredProtocols(forwarded['sec-websocket-protocol']);
  if (protocols === '') delete forwarded['sec-websocket-protocol'];
  else forwarded['sec-websocket-protocol'] = protocols;
  return forwarded;
}

/** Returns the headers to forward for an upgrade request, including `Connection` and `Upgrade`. */
export function forwardedUpgradeHeaders(request: IncomingRequest, passer: ForwarderInfo): Record<string, string> {
  return { ...forwardedRequestHeaders(request, passer), connection: 'Upgrade', upgrade: request.upgrade ?? '' };
}

/** Returns the response headers for the client. `root` is the path at which this server serves the cluster. */
export function returnedResponseHeaders(headers: ApiResponse['headers'], root: string): Reply['headers'] {
  const listed = headersListedIn(headers.connection);
  const forwarded: Reply['headers'] = {};
  for (const [name, value] of Object.entries(headers)) {
    if (hopByHopHeaders.has(name) || serverHeaders.has(name) || listed.has(name)) continue;
    forwarded[name] = typeof value === 'string' ? value : [...value];
  }
  const { location } = forwarded;
  if (typeof location === 'string' && /^\/(?!\/)/.test(location)) forwarded.location = `${root}${location}`;
  return forwarded;
}

/** The headers of a `101` response: the protocol that both sides agreed on. */
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

/** A browser sends its token as a WebSocket subprotocol, which is meant for this server only. */
function offeredProtocols(offered: string | undefined): string {
  return (offered ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith(bearerProtocolPrefix))
    .join(', ');
}
