import type { IncomingRequest } from '../exchange.ts';

/** A header that pages of other origins cannot send: it requires a CORS preflight, which this server does not allow. */
export const consoleHeader = 'X-Flotilla-Console';

const readMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lists what the request lacks to prove that a page of this server sent it; empty if it is proven. `externalUrl` is the
 * origin under which browsers reach this server, if it differs from the Host header.
 */
export function missingOriginProof(
  { method, headers, upgrade }: IncomingRequest,
  externalUrl: string | undefined,
): string[] {
  const missing: string[] = [];
  // A page can open a WebSocket to any origin without CORS, and no policy of the page restricts what it receives.
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

/** The origin as browsers write it: without the default port of https. `undefined` for an invalid Host header. */
function originOf(host: string | undefined): string | undefined {
  if (host === undefined || !hostPattern.test(host)) return undefined;
  const url = `https://${host}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
