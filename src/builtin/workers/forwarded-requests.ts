import { StatusError } from '../../api/status.ts';
import { includesRequestBody } from '../../audit/audit-policy.ts';
import { redactBody } from '../../audit/redact-body.ts';
import type { Identity } from '../../auth/identity.ts';
import { authorizeInTarget } from '../../gateway/gateway-target.ts';
import type { Exchange, RequestBody } from '../../http/exchange.ts';
import { authorize } from '../../http/filters/authorize.ts';
import { FairScheduler } from '../../http/limits/fair-scheduler.ts';
import { workPriorityOf } from '../../http/limits/work-priority.ts';
import type { NextTimeSlice, Reply } from '../../http/reply.ts';
import { onAbort } from '../../http/request/request-end.ts';
import { newExchange } from '../../http/router.ts';
import { flowKeyOf } from '../../http/session/caller.ts';
import type { Clock } from '../../lib/clock.ts';
import { withTransfer } from '../../lib/link/transferred-buffers.ts';
import { type FinishedSpan, Span } from '../../lib/trace/span.ts';
import type { SpanContext } from '../../lib/trace/trace-context.ts';
import type { OpenedPlane } from '../plane-runner.ts';
import { encodeError } from './plane-errors.ts';
import type { CallId, ForwardedRequest, ForwardedResult, RequestDetails, StreamPart } from './plane-messages.ts';
import { StreamOutbox } from './stream-outbox.ts';
import { StreamPump, streamedBody } from './stream-pump.ts';

export interface ForwardedRequestsOptions {
  readonly clock: Clock;
  /** Opens a plane of this worker. Rejects with an API error if it does not exist. */
  openPlane(planeId: string): Promise<OpenedPlane>;
  /** Called with the ID of a plane before each piece of work for that plane. */
  onWork(planeId: string): void;
  /** Asks the main thread for the body of a request that has not arrived completely. */
  readBody(id: CallId): Promise<Uint8Array>;
  sendStreams(parts: readonly StreamPart[]): void;
}

/** A request whose response is not complete yet. */
interface ActiveRequest {
  readonly exchange: Exchange;
  /** The spans that have ended; absent if the request is not traced. */
  readonly spans?: readonly FinishedSpan[] | undefined;
  pump?: StreamPump;
}

const never = new AbortController().signal;

/** Executes the requests that the main thread forwards to this worker. */
export class ForwardedRequests {
  readonly #options: ForwardedRequestsOptions;
  readonly #active = new Map<CallId, ActiveRequest>();
  readonly #scheduler: FairScheduler;
  readonly #outbox: StreamOutbox;
  readonly #resources = new ReportedResources();

  constructor(options: ForwardedRequestsOptions) {
    this.#options = options;
    this.#scheduler = new FairScheduler({ clock: options.clock });
    this.#outbox = new StreamOutbox((parts) => options.sendStreams(parts));
  }

  cancel(id: CallId, reason: Error | undefined): void {
    this.#active.get(id)?.exchange.end.end(reason);
  }

  acknowledge(id: CallId, bytes: number): void {
    this.#active.get(id)?.pump?.acknowledge(bytes);
  }

  async serve(request: ForwardedRequest, identity: Identity): Promise<ForwardedResult> {
    const { id, planeId } = request;
    const nextTimeSlice = this.#timeSlicesOf(request, identity);
    const body = this.#bodyOf(request, nextTimeSlice);
    const exchange = newExchange({ ...request, body, signal: never }, this.#options.clock);
    exchange.info = request.info;
    exchange.identity = identity;
    exchange.forwardedTokenDigest = request.tokenDigest;
    exchange.auditLevel = request.auditLevel;
    exchange.fence = request.fence;
    exchange.nextTimeSlice = nextTimeSlice;
    const active: ActiveRequest = { exchange, spans: startSpan(exchange, this.#options.clock, request.span) };
    this.#active.set(id, active);
    // End the request when the service account's token becomes invalid. For all other credentials, the main thread ends
    // the request, but only this thread knows service accounts.
    exchange.end.onEnd(onAbort(identity.signal, (reason) => exchange.end.end(reason)));
    let opened: OpenedPlane | undefined;
    let isStreaming = false;
    const finish = () => {
      this.#active.delete(id);
      opened?.release();
      exchange.end.end(undefined);
    };
    try {
      opened = await this.#options.openPlane(planeId);
      await nextTimeSlice();
      const reply = await serveExchange(opened, exchange);
      const { status, headers } = reply;
      exchange.span?.end();
      const details = this.#detailsOf(active, opened);
      const streamed = streamedBody(reply, nextTimeSlice);
      if (streamed === undefined) {
        const whole = wholeBody(reply);
        return withTransfer({ reply: { status, headers, ...whole }, details }, whole.body);
      }
      isStreaming = true;
      const pump = new StreamPump({ id, feed: streamed.feed, outbox: this.#outbox, onEnd: finish });
      active.pump = pump;
      exchange.end.onEnd(() => pump.finish());
      // The result of the request must arrive before the first part of the stream, so the stream starts later.
      setImmediate(() => pump.start());
      return { reply: { status, headers, stream: streamed.stream }, details };
    } catch (error) {
      exchange.span?.end({ hasFailed: !(error instanceof StatusError) || error.code >= 500 });
      return { error: encodeError(error), details: this.#detailsOf(active, opened) };
    } finally {
      if (!isStreaming) finish();
    }
  }

  /**
   * Divides the time of the worker between projects, the time of each project between its virtual clusters, and the
   * time of each virtual cluster between its callers. A request that did not address a project uses the share of its
   * virtual cluster.
   */
  #timeSlicesOf({ planeId, project, info }: ForwardedRequest, identity: Identity): NextTimeSlice {
    const key = flowKeyOf(identity);
    const tenant = project === undefined ? planeId : `project:${project}`;
    const priority = workPriorityOf(info);
    return async () => {
      await this.#scheduler.waitForTimeSlice(key, tenant, priority, planeId);
      this.#options.onWork(planeId);
    };
  }

  #bodyOf({ id, body }: ForwardedRequest, nextTimeSlice: NextTimeSlice): RequestBody {
    const { readBody } = this.#options;
    return {
      takeBuffered: () => body,
      async *[Symbol.asyncIterator]() {
        const received = await readBody(id);
        await nextTimeSlice();
        yield received;
      },
    };
  }

  #detailsOf({ exchange, spans }: ActiveRequest, opened: OpenedPlane | undefined): RequestDetails {
    const { decision, warnings, annotations, createdName, auditLevel, auditedRequest, auditedResponse } = exchange;
    return {
      decision,
      warnings,
      annotations: annotations?.values,
      createdName,
      auditedRequest: includesRequestBody(auditLevel) ? auditedRequest && redactBody(auditedRequest) : undefined,
      auditedResponse: auditLevel === 'RequestResponse' ? auditedResponse && redactBody(auditedResponse) : undefined,
      spans,
      newResource: this.#resources.report(exchange, opened),
    };
  }
}

/**
 * Starts the span of a request on this thread, if the main thread traces the request. Returns the list to which spans are
 * added when they end.
 */
function startSpan(exchange: Exchange, clock: Clock, parent: SpanContext | undefined): FinishedSpan[] | undefined {
  if (parent === undefined) return undefined;
  const ended: FinishedSpan[] = [];
  const { receivedAt, receivedElapsed } = exchange;
  const recorder = { clock, epoch: receivedAt - receivedElapsed, sink: (span: FinishedSpan) => ended.push(span) };
  const options = { name: 'control plane', kind: 'internal', parent, startedElapsed: receivedElapsed } as const;
  exchange.span = new Span(recorder, options);
  return ended;
}

function serveExchange({ target }: OpenedPlane, exchange: Exchange): Promise<Reply> {
  const checked = authorize({
    authorize: (caller, attributes) => authorizeInTarget(target, exchange, () => target.authorize(caller, attributes)),
  });
  return checked(exchange, (allowed) => target.serve(allowed));
}

/**
 * Returns a copy of the body of a reply that is not streamed. The copy is needed because a message transfers the whole
 * memory block behind an array.
 */
function wholeBody({ body }: Reply): { readonly body?: string | Uint8Array } {
  if (typeof body === 'string') return { body };
  if (body instanceof Uint8Array) return { body: new Uint8Array(body) };
  if (body === undefined) return {};
  throw new TypeError('a control plane returned a body that cannot be sent to another thread');
}

/**
 * The maximum number of resources that a worker reports. Metrics have labels for fewer resources, so further reports
 * would be useless.
 */
const maxReportedResources = 2_000;

/** Records the resources that were reported to the main thread. The main thread uses them as labels of metrics. */
class ReportedResources {
  readonly #reported = new Set<string>();

  report({ info }: Exchange, opened: OpenedPlane | undefined): RequestDetails['newResource'] {
    const { isResource, group, version, resource } = info;
    if (!isResource || this.#reported.size >= maxReportedResources) return undefined;
    const key = `${group}/${version}/${resource}`;
    if (this.#reported.has(key)) return undefined;
    const found = opened?.target.plane?.find(group, version, resource);
    if (found === undefined) return undefined;
    this.#reported.add(key);
    return { subresources: Object.keys(found.subresources) };
  }
}
