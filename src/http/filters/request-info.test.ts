import fc from 'fast-check';
import { expect, it } from 'vitest';
import { exchangeFor } from '../../../test/harness/exchange.ts';
import { systemClock } from '../../lib/clock.ts';
import type { Exchange, Filter } from '../exchange.ts';
import type { Reply } from '../reply.ts';
import { pathSegments, rawPath } from '../request/path-segments.ts';
import { newExchange } from '../router.ts';
import { requestInfo } from './request-info.ts';

const ok = async (): Promise<Reply> => ({ status: 200, headers: {} });

const piece = fc.constantFrom(
  '/',
  '//',
  'apis',
  'api',
  'v1',
  'g',
  'a%2Fb',
  '.',
  '..',
  'namespaces',
  '%zz',
  'x',
  '%20',
  '',
);
const paths = fc.array(piece, { maxLength: 14 }).map((pieces) => `/${pieces.join('/')}`);

/** Returns the result of the filter, or its error message. */
function read(exchange: Exchange, depth: number, filter: Filter = requestInfo({ depth })): unknown {
  try {
    void filter(exchange, ok);
    return exchange.info;
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
}

it('the segments of the router give the same result as the text of the path (REQ-01, REQ-08)', () => {
  fc.assert(
    fc.property(paths, fc.constantFrom(0, 1, 2, 3, 11, Number.POSITIVE_INFINITY), (url, depth) => {
      const { request } = exchangeFor();
      const uncut = newExchange({ ...request, url, signal: request.signal }, systemClock);
      const cut = newExchange({ ...request, url, signal: request.signal }, systemClock);
      cut.segments = routed(url);
      expect(read(cut, depth)).toEqual(read(uncut, depth));
    }),
  );
});

it('a repeated path gives the same result, whatever the method', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(paths, fc.constantFrom('POST', 'GET')), { maxLength: 8 }), (asked) => {
      const filter = requestInfo({ depth: 1 });
      for (const [url, method] of [...asked, ...asked]) {
        const exchange = () => newExchange({ ...exchangeFor().request, url, method }, systemClock);
        expect(read(exchange(), 1, filter)).toEqual(read(exchange(), 1));
      }
    }),
  );
});

/** Returns no mount for a path that cannot be decoded, like the router. */
function routed(url: string): string[] {
  try {
    return pathSegments(rawPath(url));
  } catch {
    return [''];
  }
}
