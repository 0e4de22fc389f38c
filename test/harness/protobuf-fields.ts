/** Encodes a length-delimited field of a protobuf message. */
export function protobufField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

/** Returns the body of a request in the protobuf format of Kubernetes. `object` is the encoded object. */
export function protobufBody(apiVersion: string, kind: string, object: Buffer): Buffer {
  const typeMeta = Buffer.concat([protobufField(1, Buffer.from(apiVersion)), protobufField(2, Buffer.from(kind))]);
  return Buffer.concat([protobufMagic, protobufField(1, typeMeta), protobufField(2, object)]);
}

/** The first bytes of a Kubernetes protobuf body. */
export const protobufMagic = Buffer.from('k8s\0');

export function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
