import { describe, expect, it } from 'vitest';
import { protobufCodec } from '../../http/protobuf/envelope.ts';
import { defineStruct, valueField } from './go-struct.ts';
import { StructSchemas } from './struct-schema.ts';
import { StructTable } from './struct-table.ts';

const text = `
Box@ name!:1:string size:2:*int32=3 tags:3:{}string@ parts:4:[]Part~map(id,kind)%merge(id) lid?:5:other.Lid :6:Frame
Frame color:1:string limit:2:*intOrString
Part id!:1:string kind:2:string made:3:time inner:4:*Box
`;
const lid = defineStruct('io.other.Lid', { open: valueField(1, 'bool') });
const table = new StructTable({ box: { prefix: 'io.box', text } }, { 'other.Lid': lid });

describe('the struct table', () => {
  it('describes fields for printing and protobuf', () => {
    const box = table.structOf('box.Box');
    expect(box?.name).toBe('io.box.Box');
    expect(
      box?.fields.map(({ name, number, shape, shown, required }) => [name, number, shape, shown, required]),
    ).toEqual([
      ['name', 1, 'value', true, true],
      ['size', 2, 'pointer', false, false],
      ['tags', 3, 'map', false, false],
      ['parts', 4, 'list', false, false],
      ['lid', 5, 'value', true, false],
      ['', 6, 'value', true, false],
    ]);
    expect(box?.fields[4]?.type).toBe(lid);
    expect(box?.fields[3]?.type).toBe(table.structOf('box.Part'));
    expect(table.structOf('box.Part')?.fields[2]).toMatchObject({ type: 'time', shown: true });
    expect(table.structOf('box.None')).toBeUndefined();
  });

  it('describes fields for validation, defaults and patches', () => {
    const schemas = new StructSchemas(
      new StructTable({ box: { prefix: 'io.box', text: text.replace('other.Lid', 'string') } }),
    );
    const schema = schemas.schemaOf('box.Box');
    expect(schema).toMatchObject({
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      properties: {
        size: { type: 'integer', format: 'int32', default: 3 },
        tags: { type: 'object', additionalProperties: { type: 'string' }, 'x-kubernetes-map-type': 'atomic' },
        parts: {
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['id', 'kind'],
          'x-kubernetes-patch-strategy': 'merge',
          'x-kubernetes-patch-merge-key': 'id',
        },
        color: { type: 'string' },
        limit: { 'x-kubernetes-int-or-string': true },
      },
    });
    // A struct that contains itself has one schema.
    expect(schema.properties?.parts?.items?.properties?.inner).toBe(schema);
  });

  it('is used for kinds of Kubernetes, in protobuf too', () => {
    expect(protobufCodec.supports({ group: 'apps', version: 'v1', kind: 'Deployment' })).toBe(true);
    const deployment = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'web', image: 'web:1', resources: { limits: { cpu: '1' } } }] },
        },
        strategy: { rollingUpdate: { maxSurge: '25%', maxUnavailable: 1 } },
      },
      status: {},
    };
    const decoded = protobufCodec.decode(
      { group: 'apps', version: 'v1', kind: 'Deployment' },
      protobufCodec.encode(deployment),
    );
    expect(decoded).toMatchObject(deployment);
  });
});
