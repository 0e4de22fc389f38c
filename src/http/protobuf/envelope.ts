import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { JsonObject } from '@flotilla/json';
import { apiVersionOf, type GroupVersionKind } from '../../api/meta.ts';
import { badRequest } from '../../api/status.ts';
import { type GoStruct, isStruct } from '../../api/structs/go-struct.ts';
import { goStructOf, partialMetadataStructs } from '../../api/structs/kind-structs.ts';
import type { ProtobufCodec, ProtobufListWriter } from '../negotiate/protobuf-codec.ts';
import { decodeMessage, encodeMessage } from './codec.ts';
import { DecodeLimits, skipUnknown } from './decode-limits.ts';

/** The first four bytes of a protobuf body: `k8s` and a NUL byte. A runtime.Unknown message follows. */
const magic = Uint8Array.of(0x6b, 0x38, 0x73, 0x00);

/** True if objects of this kind can be encoded as protobuf (rules NEG-06, NEG-13). */
function supportsProtobuf(kind: GroupVersionKind): boolean {
  return goStructOf(apiVersionOf(kind), kind.kind) !== undefined;
}

/**
 * Decodes a protobuf request body. The apiVersion and kind in the envelope determine the message type; if they are
 * absent, `expected` determines it. The apiVersion and kind are added to the object, so the caller can check them as in
 * a JSON body. Throws 400.
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

/**
 * Encodes an object, a list, partial metadata or a Status as protobuf. The value must contain its apiVersion and kind.
 */
function encodeProtobuf(object: JsonObject): Uint8Array {
  return inEnvelope(object, encodeMessage(structOf(object), object));
}

function structOf({ apiVersion, kind }: JsonObject): GoStruct {
  const struct =
    typeof apiVersion === 'string' && typeof kind === 'string'
      ? (goStructOf(apiVersion, kind) ?? partialMetadataStructs.get(`${apiVersion}/${kind}`))
      : undefined;
  if (struct === undefined) throw new TypeError(`kind ${kind} of ${apiVersion} has no protobuf encoding`);
  return struct;
}

/**
 * Starts to encode a list item by item. The final bytes equal those of `encodeProtobuf` for the list with all items.
 */
function startProtobufList(list: JsonObject): ProtobufListWriter {
  const struct = structOf(list);
  const items = struct.fields.find(({ name }) => name === 'items');
  if (items === undefined || typeof items.type === 'string' || !isStruct(items.type)) {
    throw new TypeError(`kind ${list.kind} is not a list`);
  }
  const [{ number }, item] = [items, items.type];
  const writer = new BinaryWriter().raw(encodeMessage(struct, { ...list, items: [] }));
  return {
    add(object) {
      const bytes = encodeMessage(item, object);
      writer.tag(number, WireType.LengthDelimited).bytes(bytes);
      return bytes.length;
    },
    finish: () => inEnvelope(list, writer.finish()),
  };
}

/** Returns a runtime.Unknown message that contains the bytes of a message, as clients expect. */
function inEnvelope({ apiVersion, kind }: JsonObject, message: Uint8Array): Uint8Array {
  const unknown = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .fork()
    .tag(1, WireType.LengthDelimited)
    .string(String(apiVersion))
    .tag(2, WireType.LengthDelimited)
    .string(String(kind))
    .join()
    .tag(2, WireType.LengthDelimited)
    .bytes(message)
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
  startList: startProtobufList,
};

function readEnvelope(bytes: Uint8Array): { apiVersion: string; kind: string; raw: Uint8Array } {
  try {
    const limits = new DecodeLimits();
    const fields = lengthDelimited(bytes, limits);
    const typeMeta = lengthDelimited(fields.get(1) ?? new Uint8Array(), limits);
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

function lengthDelimited(bytes: Uint8Array, limits: DecodeLimits): Map<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag();
    if (wireType === WireType.LengthDelimited) {
      limits.count(1);
      fields.set(number, reader.bytes());
    } else skipUnknown(reader, number, wireType, limits);
  }
  return fields;
}

function unreadable(error: unknown): Error {
  return badRequest(`unable to decode the protobuf body: ${error instanceof Error ? error.message : String(error)}`);
}
