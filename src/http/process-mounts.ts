import { methodNotAllowedOnPath, noSuchPath } from '../api/status.ts';
import { jsonDocument, sendDocument } from './document.ts';
import type { Handler } from './exchange.ts';
import { healthReply } from './health.ts';
import type { Metrics } from './metrics/create-metrics.ts';
import type { HealthCheck } from './plane.ts';
import type { Mount } from './router.ts';
import type { VersionInfo } from './version.ts';

export interface ProcessMountsOptions {
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** Wraps a handler in the chain for public paths. */
  open(handler: Handler): Handler;
  /** Wraps a handler in the chain for paths that require authentication. */
  guarded(handler: Handler): Handler;
}

/** The paths that every process serves about itself (completions §1). */
export function processMounts({ version, healthChecks, metrics, open, guarded }: ProcessMountsOptions): Mount[] {
  return [
    { prefix: '/version', exact: true, handler: open(reading(versionHandler(version))) },
    ...['/healthz', '/livez', '/readyz'].map((path) => ({
      prefix: path,
      handler: open(reading(healthHandler(healthChecks))),
    })),
    { prefix: '/metrics', exact: true, handler: guarded(reading(metricsHandler(metrics))) },
  ];
}

/** Allows only GET and HEAD. */
export function reading(handler: Handler): Handler {
  return async (exchange) => {
    const { method } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowedOnPath();
    return await handler(exchange);
  };
}

function versionHandler(version: VersionInfo): Handler {
  const document = jsonDocument({ ...version });
  return async (exchange) => sendDocument(exchange, { document });
}

function healthHandler(checks: readonly HealthCheck[]): Handler {
  return async (exchange) => {
    const reply = await healthReply(checks, exchange.info.path, exchange.query);
    if (reply === undefined) throw noSuchPath();
    return reply;
  };
}

function metricsHandler(metrics: Metrics): Handler {
  return async () => ({
    status: 200,
    headers: { 'content-type': metrics.contentType },
    body: await metrics.text(),
  });
}
