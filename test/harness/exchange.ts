import type { Exchange, IncomingRequest } from '../../src/http/exchange.ts';
import { rawPath } from '../../src/http/request/path-segments.ts';
import { parseRequestInfo } from '../../src/http/request/request-info.ts';
import { newExchange } from '../../src/http/router.ts';
import { type Clock, systemClock } from '../../src/lib/clock.ts';

/** Creates a request as handlers receive it, without a socket. */
export function incomingRequest(parts: Partial<IncomingRequest> = {}): IncomingRequest {
  return {
    method: 'GET',
    url: '/',
    headers: {},
    body: (async function* () {})(),
    remoteAddress: '192.0.2.1',
    httpVersion: '1.1',
    webSocket: false,
    signal: new AbortController().signal,
    ...parts,
  };
}

/** Returns an exchange in its state after the request-info filter. */
export function exchangeFor(parts: Partial<IncomingRequest> = {}, clock: Clock = systemClock): Exchange {
  const exchange = newExchange(incomingRequest(parts), clock);
  exchange.info = parseRequestInfo(exchange.request.method, rawPath(exchange.request.url), exchange.query);
  return exchange;
}
