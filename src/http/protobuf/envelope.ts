import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type GroupVersionKind } from '../../api/meta.ts';
import { badRequest } from '../../api/status.ts';
import { goStructOf } from '../../api/structs/kind-structs.ts';
import type { ProtobufCodec } from '../handlers/endpoint.ts';
import { decodeMessage, encodeMessage } from './codec.ts';

/** The first four bytes of a protobuf body: `k8s` and a NUL byte. A runtime.Unknown message follows them. */
const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** True if objects of this kind can be encoded as protobuf (rules NEG-06, NEG-13). */
function supportsProtobuf(kind: GroupVersionKind): boolean {
  return goStructOf(apiVersionOf(kind), kind.kind) !== undefined;
}

/**
 * Decodes a protobuf request body. The envelope's apiVersion and kind determine the message type; if they are absent,
 * `expected` does. They become members of the object, so that the caller can check them as in a JSON body. Throws 400.
 */
function decodeProtobuf(expected: GroupVersionKind, bytes: Uint8Array): JsonObject {
  if (bytes.length < magic.length || magic.some((byte, index) => bytes[index] !== byte)) {
    throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const envelope = readEnvelope(bytes.subarray(magic.length));
  const apiVersion = envelope.apiVersion || apiVersionOf(expected);
  const kind = envelope.kind || expected.kind;
  const struct = goStructOf(apiVersion, kind);
  if (struct === undefined) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`);
  try {
    return { apiVersion, kind, ...decodeMessage(struct, envelope.raw) };
  } catch (error) {
    throw unreadable(error);
  }
}

/** Encodes an object, a list or a Status as protobuf. The object must contain its apiVersion and kind. */
function encodeProtobuf(object: JsonObject): Uint8Array {
  const { apiVersion, kind } = object;
  const struct = typeof apiVersion === 'string' && typeof kind === 'string' ? goStructOf(apiVersion, kind) : undefined;
  if (struct === undefined) throw new TypeError(`kind ${kind} of ${apiVersion} has no protobuf encoding`);
  const unknown = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .fork()
    .tag(1, WireType.LengthDelimited)
    .string(String(apiVersion))
    .tag(2, WireType.LengthDelimited)
    .string(String(kind))
    .join()
    .tag(2, WireType.LengthDelimited)
    .bytes(encodeMessage(struct, object))
    .tag(3, WireType.LengthDelimited)
    .string('')
    .tag(4, WireType.LengthDelimited)
    .string('')
    .finish();
  const bytes = new Uint8Array(magic.length + unknown.length);
  bytes.set(magic);
  bytes.set(unknown, magic.length);
  return bytes;
}

/** The protobuf codec of all planes. */
export const protobufCodec: ProtobufCodec = {
  supports: supportsProtobuf,
  decode: decodeProtobuf,
  encode: encodeProtobuf,
};

function readEnvelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  try {
    const fields = lengthDelimited(bytes);
    const typeMeta = lengthDelimited(fields.get(1) ?? new Uint8Array());
    const text = new TextDecoder('utf-8', { fatal: true });
    return {
      apiVersion: text.decode(typeMeta.get(1)),
      kind: text.decode(typeMeta.get(2)),
      raw: fields.get(2) ?? new Uint8Array(),
    };
  } catch (error) {
    throw unreadable(error);
  }
}

function lengthDelimited(bytes: Uint8Array): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) fields.set(number, reader.bytes());
    else reader.skip(wireType, number);
  }
  return fields;
}

function unreadable(error: unknown): Error {
  return badRequest(`unable to decode the protobuf body: ${error instanceof Error ? error.message : String(error)}`);
}
