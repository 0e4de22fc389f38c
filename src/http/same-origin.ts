import type { IncomingRequest } from './exchange.ts';

/** No page of another origin can send it: a browser asks before, and nobody here answers that. */
export const consoleHeader = 'X-Flotilla-Console';

const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * What a request lacks of the proof that a page of this very server made it, in words; none: it is proved. `externalUrl`:
 * the origin under which browsers reach this server, where that is another one than they name.
 */
export function missingProof({ method, headers, upgrade }: IncomingRequest, externalUrl: string | undefined): string[] {
  const missing: string[] = [];
  // A page's WebSocket needs nobody's consent, and what comes through it is not held by any policy of the page.
  if (upgrade !== undefined) missing.push('it asks for another protocol');
  if (headers[consoleHeader.toLowerCase()] !== '1') missing.push(`the header "${consoleHeader}: 1" is missing`);
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin') missing.push('the header "Sec-Fetch-Site" is not "same-origin"');
  const { origin } = headers;
  if (origin === undefined) {
    if (!reading.has(method)) missing.push('the header "Origin" is missing');
  } else if (origin !== originOf(headers.host) && origin !== externalUrl) {
    missing.push('the header "Origin" is not the origin of this server');
  }
  return missing;
}

const hostForm = /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/;

/** As browsers write it: without the port that https has anyway. Whatever else stands in a Host header is no origin. */
function originOf(host: string | undefined): string | undefined {
  if (host === undefined || !hostForm.test(host)) return undefined;
  const url = `https://${host}`;
  return URL.canParse(url) ? new URL(url).origin : undefined;
}
