import { protobufBody, protobufField, protobufMagic } from '../../harness/protobuf-fields.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { type BadRequest, dryRunQuery, sending, withQuery } from './bad-request.ts';
import { collectionPath, objectPath, type ServedApi } from './served-api.ts';

const type = 'application/vnd.kubernetes.protobuf';

/** Bodies that are not Kubernetes protobuf, or only start like it. */
export function* badProtobuf(servedApi: ServedApi, random: SeededRandom): Generator<BadRequest> {
  const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.below(256)));
  for (const kind of servedApi.kinds) {
    const envelope = (object: Buffer) => protobufBody(kind.apiVersion, kind.kind, object);
    const nested = (levels: number) => {
      let inner: Buffer = Buffer.alloc(0);
      for (let level = 0; level < levels; level++) inner = protobufField(1, inner);
      return inner;
    };
    const bodies = [
      ...[
        Buffer.alloc(0),
        protobufMagic,
        Buffer.concat([protobufMagic, noise(40)]),
        noise(200),
        Buffer.from('{}'),
        envelope(noise(30)),
        envelope(nested(300)),
      ],
      ...[
        envelope(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])),
        envelope(Buffer.alloc(500, 0xff)),
        envelope(protobufField(1, noise(60))),
      ],
      ...[envelope(Buffer.from([0x0b])), envelope(Buffer.from([0x07])), envelope(protobufField(536_870_911, noise(3)))],
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
