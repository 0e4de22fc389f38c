import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
// The generated code of the OpenTelemetry project. It is not part of the documented API of its package.
import generated from '@opentelemetry/otlp-transformer/build/src/generated/root.js';

/** A span as the decoder of the OpenTelemetry project reads it. Bytes are in base64, times are decimal strings. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** The id of the parent; '' for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: string;
  /** The attribute `service.name` of the process that sent the span. */
  readonly service: string;
}

interface KeyValue {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface DecodedRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'status' | 'service'> & {
        readonly attributes: readonly KeyValue[];
        readonly status?: { readonly code?: string };
      })[];
    }[];
  }[];
}

interface Codec {
  decode(bytes: Uint8Array): { toJSON(): unknown };
  encode(value: object): { finish(): Uint8Array };
  toObject(message: unknown, options: object): DecodedRequest;
}

interface GeneratedCode {
  readonly opentelemetry: { proto: { collector: { trace: { v1: Record<string, Codec> } } } };
}

const { opentelemetry } = generated as unknown as GeneratedCode;
const { ExportTraceServiceRequest, ExportTraceServiceResponse } = opentelemetry.proto.collector.trace.v1;

export function decodeSpans(body: Uint8Array): ReceivedSpan[] {
  if (ExportTraceServiceRequest === undefined) throw new Error('the package has no decoder');
  const message = ExportTraceServiceRequest.decode(body);
  const { resourceSpans } = ExportTraceServiceRequest.toObject(message, {
    longs: String,
    enums: String,
    bytes: String,
  });
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans
      .flatMap(({ spans }) => spans)
      .map(({ attributes, status, ...span }) => ({
        ...span,
        traceId: hex(span.traceId),
        spanId: hex(span.spanId),
        parentSpanId: hex(span.parentSpanId ?? ''),
        attributes: valuesOf(attributes ?? []),
        status: status?.code ?? '',
        service: String(valuesOf(resource.attributes)['service.name']),
      })),
  );
}

/** Encodes the response of a receiver that rejects some spans. */
export function encodeRejection(rejectedSpans: number): Uint8Array {
  if (ExportTraceServiceResponse === undefined) throw new Error('the package has no encoder');
  return ExportTraceServiceResponse.encode({ partialSuccess: { rejectedSpans, errorMessage: 'no' } }).finish();
}

function hex(base64: string): string {
  return Buffer.from(base64, 'base64').toString('hex');
}

function valuesOf(attributes: readonly KeyValue[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

/** A receiver of traces on 127.0.0.1. */
export class OtlpTestReceiver {
  readonly spans: ReceivedSpan[] = [];
  readonly requests: IncomingMessage[] = [];
  /** Called with each request after it was read. Returns false if it has sent the response itself. */
  respond: (response: ServerResponse) => boolean = () => true;
  readonly #server: Server;
  #onRequest: (() => void)[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => this.#receive(request, Buffer.concat(chunks), response));
    });
  }

  static async start(): Promise<OtlpTestReceiver> {
    const started = new OtlpTestReceiver();
    await new Promise<void>((resolve) => started.#server.listen(0, '127.0.0.1', resolve));
    return started;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  /** Resolves when the receiver has got this number of requests. */
  async received(requests: number): Promise<void> {
    while (this.requests.length < requests) await new Promise<void>((resolve) => this.#onRequest.push(resolve));
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #receive(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
    this.requests.push(request);
    if (this.respond(response)) {
      this.spans.push(...decodeSpans(body));
      response.end();
    }
    for (const wake of this.#onRequest.splice(0)) wake();
  }
}
