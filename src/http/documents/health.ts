import { pathNotFound } from '../../api/status.ts';
import type { HealthCheck } from '../plane.ts';
import type { Reply } from '../reply.ts';

type Endpoint = HealthCheck['on'][number];

const endpoints: readonly Endpoint[] = ['healthz', 'livez', 'readyz'];

/** A health check that always succeeds: a response of any kind shows that the server is running. */
const ping: HealthCheck = { name: 'ping', on: endpoints, check() {} };

/**
 * Runs the health checks for `/healthz`, `/livez` or `/readyz`, or the single check that the path names (rules
 * HEALTH-01 to HEALTH-06). Resolves with `undefined` for other paths.
 */
export async function healthReply(
  checks: readonly HealthCheck[],
  path: string,
  query: URLSearchParams,
): Promise<Reply | undefined> {
  const [, name, single, ...rest] = path.split('/');
  const endpoint = endpoints.find((one) => one === name);
  if (endpoint === undefined) return undefined;
  const all = [ping, ...checks].filter((check) => check.on.includes(endpoint));
  if (single === undefined) return allChecks(endpoint, all, query);
  const one = all.find((check) => check.name === single);
  if (one === undefined || rest.length > 0) throw pathNotFound();
  return (await passes(one))
    ? text(200, 'ok')
    : text(500, `internal server error: ${one.name} failed: reason withheld\n`);
}

/** Returns the paths of all health checks, for the list of all paths at `/`. */
export function healthPaths(checks: readonly HealthCheck[]): string[] {
  return endpoints.flatMap((endpoint) => [
    `/${endpoint}`,
    ...[ping, ...checks].filter(({ on }) => on.includes(endpoint)).map(({ name }) => `/${endpoint}/${name}`),
  ]);
}

async function allChecks(endpoint: Endpoint, checks: readonly HealthCheck[], query: URLSearchParams): Promise<Reply> {
  const excluded = new Set(query.getAll('exclude').filter((name) => name !== ''));
  const outcomes = await Promise.all(
    checks.map(async (check) => ({ check, ok: excluded.has(check.name) || (await passes(check)) })),
  );
  const lines = outcomes.map(({ check, ok }) => {
    if (!ok) return `[-]${check.name} failed: reason withheld\n`;
    return excluded.delete(check.name) ? `[+]${check.name} excluded: ok\n` : `[+]${check.name} ok\n`;
  });
  if (excluded.size > 0) {
    const names = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${names}\n`);
  }
  if (outcomes.some(({ ok }) => !ok)) return text(500, `${lines.join('')}${endpoint} check failed\n`);
  return text(200, query.has('verbose') ? `${lines.join('')}${endpoint} check passed\n` : 'ok');
}

/**
 * True if the check succeeds. The reason of a failure is logged, but is not part of the response, because the path is
 * public.
 */
async function passes(check: HealthCheck): Promise<boolean> {
  try {
    await check.check();
    return true;
  } catch {
    return false;
  }
}

function text(status: number, body: string): Reply {
  return {
    status,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
    body,
  };
}
