import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/**
 * Encodes one watch event: its length in four bytes, then a WatchEvent, whose object has an envelope (rule NEG-06). The
 * event itself has none.
 */
export function watchEventFrame(type: string, object: Uint8Array): Uint8Array {
  const event = new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string(type)
    .tag(2, WireType.LengthDelimited)
    .fork()
    .tag(1, WireType.LengthDelimited)
    .bytes(object)
    .join()
    .finish();
  const frame = new Uint8Array(4 + event.length);
  new DataView(frame.buffer).setUint32(0, event.length);
  frame.set(event, 4);
  return frame;
}
