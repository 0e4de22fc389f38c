import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { collectionPath, objectPath, type ServedApi } from './served-api.ts';

const type = 'application/vnd.kubernetes.protobuf';
const magic = Buffer.from('k8s\0');

/** Bodies that are not Kubernetes protobuf, or only start like it. */
export function* badProtobuf(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
  for (const kind of servedApi.kinds) {
    const envelope = (object: Buffer) => {
      const typeMeta = Buffer.concat([field(1, Buffer.from(kind.apiVersion)), field(2, Buffer.from(kind.kind))]);
      return Buffer.concat([magic, field(1, typeMeta), field(2, object)]);
    };
    const nested = (levels: number) => {
      let inner: Buffer = Buffer.alloc(0);
      for (let level = 0; level < levels; level++) inner = field(1, inner);
      return inner;
    };
    const bodies = [
      ...[
        Buffer.alloc(0),
        magic,
        Buffer.concat([magic, noise(40)]),
        noise(200),
        Buffer.from('{}'),
        envelope(noise(30)),
        envelope(nested(300)),
      ],
      ...[
        envelope(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])),
        envelope(Buffer.alloc(500, 0xff)),
        envelope(field(1, noise(60))),
      ],
      ...[envelope(Buffer.from([0x0b])), envelope(Buffer.from([0x07])), envelope(field(536_870_911, noise(3)))],
    ];
    for (const body of bodies) {
      const target = withQuery(collectionPath(servedApi, kind), dryRunQuery);
      yield sending('bad protobuf', 'POST', target, body, { type });
      if (kind.objectMethods.includes('put')) {
        yield sending('bad protobuf', 'PUT', withQuery(objectPath(servedApi, kind), dryRunQuery), body, { type });
      }
    }
    yield sending('bad protobuf', 'DELETE', withQuery(objectPath(servedApi, kind), dryRunQuery), noise(20), { type });
  }
}

function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest]);
    bytes.push((rest % 128) + 128);
  }
}
