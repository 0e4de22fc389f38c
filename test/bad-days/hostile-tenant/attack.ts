import type { Response, Tenant, TenantRequest } from './tenant.ts';

/** An expected response to the requests of an attack. */
export interface Expected {
  readonly status: number;
  /** A pattern that the body must match. Optional. */
  readonly text?: RegExp;
}

/** Work that a tenant makes for the server in order to delay others. */
export interface Attack {
  readonly name: string;
  /** Creates what the attack needs. The neighbour does not measure at this time. */
  prepare?(tenant: Tenant): Promise<void>;
  /** Sends the requests of the attack and returns the responses. */
  run(tenant: Tenant): Promise<readonly Response[]>;
  /** The expected responses. Each response must match one of them. */
  readonly expected: readonly Expected[];
  /** True if the work takes many seconds unless a meter ends it. */
  readonly needsMeter?: boolean;
  /**
   * True if the attack takes long, disturbs later attacks or exceeds its limit, so it runs only in `npm run test:long`.
   */
  readonly isLong?: boolean;
}

interface Repetition {
  readonly times: number;
  readonly atOnce: number;
}

/**
 * Sends `times` requests, `atOnce` of them at a time. Each request gets a different number, even if the attack runs
 * again.
 */
export function repeat(
  repetition: Repetition,
  makeRequest: (tenant: Tenant, number: number) => TenantRequest,
): Attack['run'] {
  return repeatWork(repetition, (tenant, number) => tenant.send(makeRequest(tenant, number)));
}

/** Like `repeat`, for work that is not a single request. The work returns how the server responded. */
export function repeatWork(
  { times, atOnce }: Repetition,
  work: (tenant: Tenant, number: number) => Promise<Response>,
): Attack['run'] {
  let next = 0;
  return async (tenant) => {
    const responses: Response[] = [];
    const end = next + times;
    const doRest = async () => {
      while (next < end) responses.push(await work(tenant, next++));
    };
    await Promise.all(Array.from({ length: atOnce }, doRest));
    return responses;
  };
}

/** Returns the unexpected responses to the attack, shortened. */
export function unexpectedResponses({ expected }: Attack, responses: readonly Response[]): string[] {
  const isExpected = (response: Response) =>
    expected.some(({ status, text }) => response.status === status && (text === undefined || text.test(response.text)));
  return responses.filter((each) => !isExpected(each)).map(({ status, text }) => `${status} ${text.slice(0, 500)}`);
}

export const configMaps = '/api/v1/namespaces/default/configmaps';

/** Returns the texts for the numbers from 0 to `count` - 1. */
export function numbered<T>(count: number, make: (number: number) => T): T[] {
  return Array.from({ length: count }, (_, number) => make(number));
}
