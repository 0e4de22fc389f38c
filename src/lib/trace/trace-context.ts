/** The IDs of a trace and a span, as they are sent to other systems (W3C Trace Context). */
export interface SpanContext {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
}

/** The span of the caller, as its `traceparent` header describes it. */
export interface IncomingParent extends SpanContext {
  /** True if the caller of the request records its own span. */
  readonly isSampled: boolean;
}

const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * Parses a `traceparent` header. Returns `undefined` if the header is absent or invalid; an invalid header has no
 * effect.
 */
export function parseTraceparent(header: string | undefined): IncomingParent | undefined {
  if (header === undefined) return undefined;
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = pattern.exec(header) ?? [];
  // Versions later than 00 may append members. Version ff is invalid, and so is an ID that consists only of zeros.
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** Returns the `traceparent` header for a request that belongs to this span. */
export function formatTraceparent({ traceId, spanId }: SpanContext, isSampled: boolean): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}
