import { connectionHeaders } from '../hosts/connection-headers.ts';
import type { ApiResponse } from '../hosts/host.ts';
import type { IncomingRequest, Reply } from '../http/exchange.ts';
import { bearerProtocolPrefix } from '../http/web-socket.ts';

const ofConnection = new Set(connectionHeaders);

/** Who the caller is, and where from, is said by the gateway alone. */
const ofCaller = new Set(['authorization', 'cookie', 'forwarded', 'host', 'expect', 'via', 'x-real-ip', 'audit-id']);
const ofCallerPrefixes = ['impersonate-', 'x-remote-', 'x-forwarded-'];

/**
 * What would be taken for the gateway's own word about itself by a browser, which goes by it in everything that it asks
 * of this server from then on: where to report each request to, for one.
 */
const ofServer = new Set([
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

/** Who passes a request on: its audit id, and the name of this server. */
export interface Passer {
  readonly auditId: string;
  readonly via: string;
}

const viaForm = /\b1\.1 flotilla-[0-9a-f-]{36}(?=\s*(?:,|$))/g;

/** What of a request's headers goes on. */
export function requestHeaders(
  { headers, upgrade }: IncomingRequest,
  { auditId, via }: Passer,
): Record<string, string> {
  const named = namedBy(headers.connection);
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || ofConnection.has(name) || ofCaller.has(name) || named.has(name)) continue;
    if (ofCallerPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    passed[name] = value;
  }
  passed['audit-id'] = auditId;
  passed.via = [...(headers.via?.match(viaForm) ?? []), `1.1 ${via}`].join(', ');
  if (upgrade === undefined) return passed;
  delete passed['content-length'];
  const protocols = offeredProtocols(passed['sec-websocket-protocol']);
  if (protocols === '') delete passed['sec-websocket-protocol'];
  else passed['sec-websocket-protocol'] = protocols;
  return passed;
}

/** The same, for a request that asks for another protocol. */
export function upgradeHeaders(request: IncomingRequest, passer: Passer): Record<string, string> {
  return { ...requestHeaders(request, passer), connection: 'Upgrade', upgrade: request.upgrade ?? '' };
}

/** What of an answer's headers goes back. `root`: the path of the cluster's root at this server. */
export function answerHeaders(headers: ApiResponse['headers'], root: string): Reply['headers'] {
  const named = namedBy(headers.connection);
  const passed: Reply['headers'] = {};
  for (const [name, value] of Object.entries(headers)) {
    if (ofConnection.has(name) || ofServer.has(name) || named.has(name)) continue;
    passed[name] = typeof value === 'string' ? value : [...value];
  }
  const { location } = passed;
  if (typeof location === 'string' && /^\/(?!\/)/.test(location)) passed.location = `${root}${location}`;
  return passed;
}

/** Of a `101`: what the two sides agreed on. */
export function switchedHeaders(headers: ApiResponse['headers'], root: string): Reply['headers'] {
  const { upgrade } = headers;
  return {
    ...answerHeaders(headers, root),
    connection: 'Upgrade',
    ...(upgrade === undefined ? {} : { upgrade: typeof upgrade === 'string' ? upgrade : [...upgrade] }),
  };
}

function namedBy(connection: string | readonly string[] | undefined): ReadonlySet<string> {
  if (connection === undefined) return none;
  return new Set([connection].flat().flatMap((value) => value.split(',').map((name) => name.trim().toLowerCase())));
}

const none: ReadonlySet<string> = new Set();

/** A browser's token comes as a protocol, and is for this server only. */
function offeredProtocols(offered: string | undefined): string {
  return (offered ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith(bearerProtocolPrefix))
    .join(', ');
}
