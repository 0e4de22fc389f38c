import type { IncomingRequest } from '../exchange.ts';

/**
 * The console sends this header. Pages of other origins cannot send it, because a request with this header needs a CORS
 * preflight, which the server rejects.
 */
export const consoleHeader = 'X-Flotilla-Console';

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Returns the reasons why the request might not come from a page of this server; empty if it certainly does.
 * `externalUrl` is the origin under which browsers reach this server, if this origin differs from the Host header.
 */
export function missingOriginProof(
  { method, headers, upgrade }: IncomingRequest,
  externalUrl: string | undefined,
): string[] {
  const missing: string[] = [];
  // Every page can open a WebSocket to every origin, because CORS does not apply to WebSockets.
  if (upgrade !== undefined) missing.push('it requests a protocol upgrade');
  if (headers[consoleHeader.toLowerCase()] !== '1') missing.push(`the header "${consoleHeader}: 1" is missing`);
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') missing.push('the header "Sec-Fetch-Site" is not "same-origin"');
  const { origin } = headers;
  if (origin === undefined) {
    if (!readMethods.has(method)) missing.push('the header "Origin" is missing');
  } else if (origin !== originOf(headers.host) && origin !== externalUrl) {
    missing.push('the header "Origin" is not the origin of this server');
  }
  return missing;
}

const hostPattern = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** Returns the origin as browsers send it, without the default port. `undefined` if the Host header is invalid. */
export function originOf(host: string | undefined): string | undefined {
  if (host === undefined || !hostPattern.test(host)) return undefined;
  const url = `https://${host}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
