import { protobufBody, protobufField, protobufMagic } from '../../harness/protobuf-fields.ts';
import { type Attack, configMaps, repeat } from './attack.ts';

const contentType = 'application/vnd.kubernetes.protobuf';
/** Just below the maximum size of a body. */
const maxBytes = 3_000_000;

/** Returns a body that repeats the same few bytes. */
const filled = (...bytes: number[]) => Buffer.alloc(maxBytes - (maxBytes % bytes.length), Buffer.from(bytes));

const configMap = (object: Buffer) => protobufBody('v1', 'ConfigMap', object);

/** Field number 15, which no kind has: once as the start of a group and once as an empty field. */
const [unknownGroup, unknownField] = [[0x7b], [0x7a, 0x00]] as const;

const configMapBodies: readonly Buffer[] = [
  configMap(filled(...unknownGroup)),
  configMap(filled(...unknownField)),
  Buffer.concat([protobufMagic, filled(...unknownField)]),
  Buffer.concat([protobufMagic, protobufField(1, filled(...unknownField))]),
  // Millions of entries of `data`, all with the same empty key.
  configMap(filled(0x12, 0x00)),
  // Millions of empty names.
  configMap(protobufField(1, filled(0x0a, 0x00))),
  // The length of a text of 4 GB, without the text.
  configMap(Buffer.from([0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f])),
];

/** A definition whose only version has this schema. */
const definitionBody = (schema: Buffer) =>
  protobufBody(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    protobufField(2, protobufField(7, protobufField(4, protobufField(1, schema)))),
  );

const [not, allOf] = [28, 25] as const;

function nestedSchema(levels: number): Buffer {
  let schema: Buffer = Buffer.alloc(0);
  for (let level = 0; level < levels; level++) schema = protobufField(not, schema);
  return schema;
}

const emptyAlternative = protobufField(allOf, Buffer.alloc(0));
const definitionBodies: readonly Buffer[] = [
  definitionBody(nestedSchema(5_000)),
  definitionBody(filled(...emptyAlternative)),
];

export const protobufAttacks: readonly Attack[] = [
  {
    name: 'protobuf bodies of 3 MB with groups, unknown fields and repeated fields',
    run: repeat({ times: 14, atOnce: 4 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}${configMaps}`,
      contentType,
      body: configMapBodies[number % configMapBodies.length] ?? Buffer.alloc(0),
    })),
    expected: [{ status: 400 }, { status: 422 }],
  },
  {
    name: 'protobuf bodies with deep and wide schemas',
    run: repeat({ times: 8, atOnce: 4 }, ({ inside }, number) => ({
      method: 'POST',
      path: `${inside}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`,
      contentType,
      body: definitionBodies[number % definitionBodies.length] ?? Buffer.alloc(0),
    })),
    expected: [{ status: 400 }],
  },
];
