import { apiWord } from '../../api/naming.ts';
import { methodNotAllowedOnPath, pathNotFound } from '../../api/status.ts';
import type { Handler } from '../exchange.ts';
import type { Metrics } from '../metrics/create-metrics.ts';
import type { HealthCheck } from '../plane.ts';
import type { Mount } from '../router.ts';
import { documentReply, jsonDocument } from './api-document.ts';
import { healthReply } from './health.ts';
import type { VersionInfo } from './version.ts';

export interface ProcessMountsOptions {
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  readonly metrics: Metrics;
  /** Wraps a handler in the filter chain for paths without authentication. */
  publicChain(handler: Handler): Handler;
  /** Wraps a handler in the filter chain for paths that require authentication. */
  authenticatedChain(handler: Handler): Handler;
}

/**
 * Returns the mounts of the process's version, health and metrics, which are the same for server and agent (completions
 * §1).
 */
export function processMounts({
  version,
  healthChecks,
  metrics,
  publicChain,
  authenticatedChain,
}: ProcessMountsOptions): Mount[] {
  return [
    { prefix: '/version', exact: true, handler: publicChain(readOnly(versionHandler(version))) },
    ...['/healthz', '/livez', '/readyz'].map((path) => ({
      prefix: path,
      handler: publicChain(readOnly(healthHandler(healthChecks))),
    })),
    { prefix: '/metrics', exact: true, handler: authenticatedChain(readOnly(metricsHandler(metrics))) },
  ];
}

/** Wraps a handler so that it accepts only GET and HEAD. Other methods get 405. */
export function readOnly(handler: Handler): Handler {
  return async (exchange) => {
    const { method } = exchange.request;
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowedOnPath();
    return await handler(exchange);
  };
}

/**
 * Serves the version of the process. Unlike `/version` of a control plane, the response contains the API word. The
 * command line reads this word before it logs in.
 */
function versionHandler(version: VersionInfo): Handler {
  const document = jsonDocument({ ...version, apiWord });
  return async (exchange) => documentReply(exchange, { document });
}

function healthHandler(checks: readonly HealthCheck[]): Handler {
  return async (exchange) => {
    const reply = await healthReply(checks, exchange.info.path, exchange.query);
    if (reply === undefined) throw pathNotFound();
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
