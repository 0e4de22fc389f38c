import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isJsonObject, type JsonObject, type JsonValue, writeJson } from '@flotilla/json';

/** The media type of a protobuf response, and an older spelling of this media type that clients send in Accept. */
export const swaggerProtobufType = 'com.github.proto-openapi.spec.v2.v1.0+protobuf';
export const swaggerProtobufAcceptType = 'com.github.proto-openapi.spec.v2@v1.0+protobuf';

/**
 * Encodes a Swagger document as the protobuf message that Go clients read (rule OAPI-14). kubectl accepts only protobuf
 * for client-side validation, which it uses for kinds that support only create. The field numbers come from the
 * published message definition and never change.
 */
export function encodeSwaggerProtobuf(document: JsonObject): Uint8Array {
  const writer = new BinaryWriter();
  documentMessage(writer, document);
  return writer.finish();
}

/** Writes a JSON value as one or more protobuf fields. Omits a value of an unexpected type. */
type Put = (writer: BinaryWriter, value: JsonValue) => void;
/** Writes the fields of a protobuf message, without the message's own tag and length. */
type Message = (writer: BinaryWriter, value: JsonValue) => void;

function message(fields: Readonly<Record<string, Put>>, extensions?: number): Message {
  return (writer, value) => {
    if (!isJsonObject(value)) return;
    for (const [name, member] of Object.entries(value)) {
      const put = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (put !== undefined) put(writer, member);
      else if (extensions !== undefined && name.startsWith('x-')) {
        delimited(writer, extensions, () => namedMessage(anyMessage)(writer, [name, member]));
      }
    }
  };
}

function delimited(writer: BinaryWriter, number: number, write: () => void): void {
  writer.tag(number, WireType.LengthDelimited).fork();
  write();
  writer.join();
}

function text(number: number): Put {
  return (writer, value) => {
    if (typeof value === 'string') writer.tag(number, WireType.LengthDelimited).string(value);
  };
}

function flag(number: number): Put {
  return (writer, value) => {
    if (typeof value === 'boolean') writer.tag(number, WireType.Varint).bool(value);
  };
}

function double(number: number): Put {
  return (writer, value) => {
    if (typeof value === 'number') writer.tag(number, WireType.Bit64).double(value);
  };
}

function integer(number: number): Put {
  return (writer, value) => {
    if (typeof value === 'number') writer.tag(number, WireType.Varint).int64(value);
  };
}

function one(number: number, inner: Message): Put {
  return (writer, value) => delimited(writer, number, () => inner(writer, value));
}

function each(put: Put): Put {
  return (writer, value) => {
    for (const item of Array.isArray(value) ? value : [value]) put(writer, item);
  };
}

/** Writes a JSON object as a repeated message: one message with name and value per member. */
function eachMember(number: number, inner: Message): Message {
  return (writer, value) => {
    for (const entry of isJsonObject(value) ? Object.entries(value) : []) {
      delimited(writer, number, () => namedMessage(inner)(writer, entry));
    }
  };
}

function namedMessage(inner: Message): (writer: BinaryWriter, entry: [string, JsonValue]) => void {
  return (writer, [name, value]) => {
    text(1)(writer, name);
    one(2, inner)(writer, value);
  };
}

/** Writes any JSON value as a YAML text, because the message type requires YAML. JSON is valid YAML. */
const anyMessage: Message = (writer, value) => text(2)(writer, writeJson(value));

/**
 * Calls `describedSchema` in a function, because schemas are recursive and `describedSchema` is defined further below.
 */
const schemaMessage: Message = (writer, value) => describedSchema(writer, value);

const properties: Message = eachMember(1, schemaMessage);

const describedSchema = message(
  {
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: one(5, anyMessage),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: flag(8),
    minimum: double(9),
    exclusiveMinimum: flag(10),
    maxLength: integer(11),
    minLength: integer(12),
    pattern: text(13),
    maxItems: integer(14),
    minItems: integer(15),
    uniqueItems: flag(16),
    maxProperties: integer(17),
    minProperties: integer(18),
    required: each(text(19)),
    enum: each(one(20, anyMessage)),
    additionalProperties: one(21, (writer, value) =>
      typeof value === 'boolean' ? flag(2)(writer, value) : one(1, schemaMessage)(writer, value),
    ),
    type: one(22, each(text(1))),
    items: one(23, each(one(1, schemaMessage))),
    allOf: each(one(24, schemaMessage)),
    properties: one(25, properties),
    readOnly: flag(27),
  },
  31,
);

const bodyParameter = message(
  { description: text(1), name: text(2), in: text(3), required: flag(4), schema: one(5, schemaMessage) },
  6,
);
const shared = { required: flag(1), in: text(2), description: text(3), name: text(4) };
const queryParameter = message({ ...shared, type: text(6), format: text(7), uniqueItems: flag(20) }, 23);
const pathParameter = message({ ...shared, type: text(5), format: text(6), uniqueItems: flag(19) }, 22);

/** Writes a parameter. In the message definition, each type of parameter is in a separate wrapper message. */
const parameterItem: Message = (writer, value) => {
  const place = isJsonObject(value) ? value.in : undefined;
  const other: Message = place === 'path' ? one(4, pathParameter) : one(3, queryParameter);
  one(1, place === 'body' ? one(1, bodyParameter) : one(2, other))(writer, value);
};

const response = message({ description: text(1), schema: one(2, one(1, schemaMessage)) }, 5);

const operation = message(
  {
    tags: each(text(1)),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: each(text(6)),
    consumes: each(text(7)),
    parameters: each(one(8, parameterItem)),
    responses: one(9, eachMember(1, one(1, response))),
    schemes: each(text(10)),
    deprecated: flag(11),
  },
  13,
);

const pathItem = message(
  {
    get: one(2, operation),
    put: one(3, operation),
    post: one(4, operation),
    delete: one(5, operation),
    options: one(6, operation),
    head: one(7, operation),
    patch: one(8, operation),
    parameters: each(one(9, parameterItem)),
  },
  10,
);

const documentMessage = message(
  {
    swagger: text(1),
    info: one(2, message({ title: text(1), version: text(2), description: text(3) })),
    paths: one(8, eachMember(2, pathItem)),
    definitions: one(9, properties),
  },
  16,
);
