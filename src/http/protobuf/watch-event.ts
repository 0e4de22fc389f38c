import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/**
 * Encodes one event of a protobuf watch (rule NEG-06): four bytes with the length of the message, then a WatchEvent
 * message. The object inside the message has the `k8s` prefix; the message itself does not.
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
