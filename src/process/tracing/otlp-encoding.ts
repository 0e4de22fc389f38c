import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { FinishedSpan, SpanAttributes, SpanKind } from '../../lib/trace/span.ts';

/*
 * The messages of the OpenTelemetry protocol that carry spans, in protobuf. The numbers are those of the fields in
 * opentelemetry/proto/trace/v1/trace.proto and opentelemetry/proto/collector/trace/v1/trace_service.proto.
 */

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const errorStatus = 2;
/** The flag of a sampled span in `Span.flags`. */
const sampledFlag = 1;

/** The process that sends spans, and its version. */
export interface SpanSource {
  readonly resource: SpanAttributes;
  /** The name and the version of the program that creates spans. */
  readonly scope: { readonly name: string; readonly version: string };
}

/** Encodes an ExportTraceServiceRequest. */
export function encodeSpans({ resource, scope }: SpanSource, spans: readonly FinishedSpan[]): Uint8Array {
  const writer = new BinaryWriter();
  message(writer, 1, () => {
    message(writer, 1, () => writeAttributes(writer, 1, resource));
    message(writer, 2, () => {
      message(writer, 1, () => {
        text(writer, 1, scope.name);
        text(writer, 2, scope.version);
      });
      for (const span of spans) message(writer, 2, () => writeSpan(writer, span));
    });
  });
  return writer.finish();
}

/** Returns the number of spans that the receiver rejected, from an ExportTraceServiceResponse. */
export function decodeRejectedSpans(response: Uint8Array): number {
  const partialSuccess = fieldOf(new BinaryReader(response), 1, WireType.LengthDelimited, (reader) => reader.bytes());
  if (partialSuccess === undefined) return 0;
  const rejected = fieldOf(new BinaryReader(partialSuccess), 1, WireType.Varint, (reader) => reader.int64());
  return Math.max(0, Number(rejected ?? 0));
}

function writeSpan(writer: BinaryWriter, span: FinishedSpan): void {
  bytes(writer, 1, span.traceId);
  bytes(writer, 2, span.spanId);
  if (span.parentSpanId !== undefined) bytes(writer, 4, span.parentSpanId);
  text(writer, 5, span.name);
  writer.tag(6, WireType.Varint).int32(kinds[span.kind]);
  writer.tag(7, WireType.Bit64).fixed64(nanoseconds(span.startedAt));
  writer.tag(8, WireType.Bit64).fixed64(nanoseconds(span.endedAt));
  writeAttributes(writer, 9, span.attributes);
  if (span.hasFailed) message(writer, 15, () => writer.tag(3, WireType.Varint).int32(errorStatus));
  writer.tag(16, WireType.Bit32).fixed32(sampledFlag);
}

function writeAttributes(writer: BinaryWriter, field: number, attributes: SpanAttributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    message(writer, field, () => {
      text(writer, 1, name);
      message(writer, 2, () => writeValue(writer, value));
    });
  }
}

function writeValue(writer: BinaryWriter, value: string | number | boolean): void {
  if (typeof value === 'string') text(writer, 1, value);
  else if (typeof value === 'boolean') writer.tag(2, WireType.Varint).bool(value);
  else if (Number.isSafeInteger(value)) writer.tag(3, WireType.Varint).int64(value);
  else writer.tag(4, WireType.Bit64).double(value);
}

function message(writer: BinaryWriter, field: number, write: () => void): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

function text(writer: BinaryWriter, field: number, value: string): void {
  writer.tag(field, WireType.LengthDelimited).string(value);
}

function bytes(writer: BinaryWriter, field: number, hex: string): void {
  writer.tag(field, WireType.LengthDelimited).bytes(Buffer.from(hex, 'hex'));
}

function nanoseconds(milliseconds: number): bigint {
  const whole = Math.floor(milliseconds);
  return BigInt(whole) * 1_000_000n + BigInt(Math.round((milliseconds - whole) * 1_000_000));
}

/** Returns the last value of a field, as protobuf requires; `undefined` if the message has no such field. */
function fieldOf<T>(reader: BinaryReader, field: number, type: WireType, read: (reader: BinaryReader) => T) {
  let found: T | undefined;
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (number === field && wireType === type) found = read(reader);
    else reader.skip(wireType, number);
  }
  return found;
}
