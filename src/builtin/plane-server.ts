import { pathNotFound } from '../api/status.ts';
import type { TokenIssuer } from '../http/documents/issuer-documents.ts';
import { planeDocuments } from '../http/documents/plane-documents.ts';
import { SharedDocuments } from '../http/documents/shared-documents.ts';
import type { VersionInfo } from '../http/documents/version.ts';
import type { Handler } from '../http/exchange.ts';
import { planeHandler } from '../http/handlers/dispatch.ts';
import type { Metrics } from '../http/metrics/create-metrics.ts';
import type { HealthCheck, Plane } from '../http/plane.ts';
import { protobufCodec } from '../http/protobuf/envelope.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

export interface PlaneHandlersOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: VersionInfo;
  readonly healthChecks: readonly HealthCheck[];
  /** The metrics to serve at `/metrics`. If absent, planes do not serve that path. */
  readonly metrics?: Metrics;
  readonly bodyBytes: number;
  /** Returns the issuer of a plane's service account tokens. If absent, planes do not serve OpenID documents. */
  issuerOf?(planeId: string): TokenIssuer;
}

/**
 * Returns a function that returns the HTTP handler of a plane. The handler serves the plane's kinds and its discovery
 * documents, and is cached until the plane is unloaded.
 */
export function createPlaneHandlers(options: PlaneHandlersOptions): (plane: Plane) => Handler {
  const { clock, log, version, healthChecks, metrics, bodyBytes } = options;
  const handlers = new WeakMap<Plane, Handler>();
  const shared = new SharedDocuments();
  return (plane) => {
    const cached = handlers.get(plane);
    if (cached !== undefined) return cached;
    const documents = planeDocuments(plane, {
      version,
      healthChecks,
      shared,
      ...(metrics === undefined ? {} : { metrics }),
      ...(options.issuerOf === undefined ? {} : { issuer: options.issuerOf(plane.id) }),
    });
    const handler = planeHandler({
      plane,
      log,
      now: () => clock.now(),
      protobuf: protobufCodec,
      bodyLimit: bodyBytes,
      async nonResource(exchange) {
        if (plane.settled !== undefined && /^\/(apis?|openapi)(\/|$)/.test(exchange.info.path)) {
          await resolvedWithin(maxSettleMs, clock, plane.settled());
        }
        const reply = await documents.reply(exchange);
        if (reply === undefined) throw pathNotFound();
        return reply;
      },
    });
    handlers.set(plane, handler);
    return handler;
  };
}

/**
 * The longest time, in milliseconds, for which a discovery request waits until new custom resources are served. Without
 * this limit, discovery would not respond during the removal of a kind with many objects.
 */
const maxSettleMs = 2_000;

/** Resolves when the promise resolves, or after this time if the promise takes longer. */
async function resolvedWithin(milliseconds: number, clock: Clock, promise: Promise<void>): Promise<void> {
  let cancel = () => {};
  const timeout = new Promise<void>((resolve) => {
    cancel = clock.after(milliseconds, resolve);
  });
  await Promise.race([promise, timeout]).finally(cancel);
}
