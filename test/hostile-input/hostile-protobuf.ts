import type { SeededRandom } from '../bad-days/seeded-random.ts';
import { protobufBody, protobufField, protobufMagic } from '../harness/protobuf-fields.ts';

/** Returns the body of a ConfigMap in protobuf format, of about the given size. */
export function hostileProtobuf(random: SeededRandom, bytes: number): Buffer {
  const number = 1 + random.below(15);
  const fill = random.pick([
    // Empty fields, groups, numbers, fields with one byte, and entries of a map with an empty key.
    Buffer.from([number * 8 + 2, 0x00]),
    Buffer.from([number * 8 + 3]),
    Buffer.from([number * 8, 0x01]),
    Buffer.from([number * 8 + 2, 0x01, 0x61]),
    Buffer.from([number * 8 + 2, 0x02, 0x0a, 0x00]),
  ]);
  const filled = Buffer.alloc(Math.floor(bytes / fill.length) * fill.length, fill);
  const configMap = (object: Buffer) => protobufBody('v1', 'ConfigMap', object);
  return random.pick([
    () => configMap(filled),
    () => configMap(protobufField(1, filled)),
    () => configMap(protobufField(1, protobufField(number, filled))),
    () => configMap(protobufField(2, filled)),
    () => Buffer.concat([protobufMagic, filled]),
    () => Buffer.concat([protobufMagic, protobufField(1, filled)]),
  ])();
}
