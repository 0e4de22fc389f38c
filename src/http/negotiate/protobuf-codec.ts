import type { JsonObject } from '@flotilla/json';
import type { GroupVersionKind } from '../../api/meta.ts';

/** Encodes and decodes objects of built-in kinds as protobuf (rule NEG-06). */
export interface ProtobufCodec {
  supports(kind: GroupVersionKind): boolean;
  decode(expected: GroupVersionKind, bytes: Uint8Array): JsonObject;
  encode(object: JsonObject): Uint8Array;
  /** Starts to encode a list. Its items are added later, one by one. `list` contains everything except the items. */
  startList(list: JsonObject): ProtobufListWriter;
}

export interface ProtobufListWriter {
  /** Adds an item and returns the number of bytes. */
  add(item: JsonObject): number;
  finish(): Uint8Array;
}
