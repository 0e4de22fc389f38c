import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/**
 * Encodes one event of a protobuf watch (rule NEG-06): four bytes with its length, then a WatchEvent message. The
 * object in the event has the `k8s` prefix; the event itself does not.
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
