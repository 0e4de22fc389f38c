import { alwaysPrinted, type GoStruct, list, map, pointer, struct, value } from './go-struct.ts';

const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const externalDocumentation = struct(`${apiextensions}.ExternalDocumentation`, {
  description: value(1),
  url: value(2),
});

const validationRule = struct(`${apiextensions}.ValidationRule`, {
  rule: alwaysPrinted(1),
  message: value(2),
  messageExpression: value(3),
  reason: pointer(4),
  fieldPath: value(5),
  optionalOldSelf: pointer(6, 'bool'),
});

/** The Go struct of a schema in a CustomResourceDefinition. It is recursive. */
export const jsonSchemaProps: GoStruct = struct(`${apiextensions}.JSONSchemaProps`, () => ({
  id: value(1),
  $schema: value(2),
  $ref: pointer(3),
  description: value(4),
  type: value(5),
  format: value(6),
  title: value(7),
  default: pointer(8, 'json'),
  maximum: pointer(9, 'double'),
  exclusiveMaximum: value(10, 'bool'),
  minimum: pointer(11, 'double'),
  exclusiveMinimum: value(12, 'bool'),
  maxLength: pointer(13, 'int64'),
  minLength: pointer(14, 'int64'),
  pattern: value(15),
  maxItems: pointer(16, 'int64'),
  minItems: pointer(17, 'int64'),
  uniqueItems: value(18, 'bool'),
  multipleOf: pointer(19, 'double'),
  enum: list(20, 'json'),
  maxProperties: pointer(21, 'int64'),
  minProperties: pointer(22, 'int64'),
  required: list(23),
  items: pointer(24, { struct: jsonSchemaProps, or: 'structs' }),
  allOf: list(25, jsonSchemaProps),
  oneOf: list(26, jsonSchemaProps),
  anyOf: list(27, jsonSchemaProps),
  not: pointer(28, jsonSchemaProps),
  properties: map(29, jsonSchemaProps),
  additionalProperties: pointer(30, { struct: jsonSchemaProps, or: 'bool' }),
  patternProperties: map(31, jsonSchemaProps),
  dependencies: map(32, { struct: jsonSchemaProps, or: 'strings' }),
  additionalItems: pointer(33, { struct: jsonSchemaProps, or: 'bool' }),
  definitions: map(34, jsonSchemaProps),
  externalDocs: pointer(35, externalDocumentation),
  example: pointer(36, 'json'),
  nullable: value(37, 'bool'),
  'x-kubernetes-preserve-unknown-fields': pointer(38, 'bool'),
  'x-kubernetes-embedded-resource': value(39, 'bool'),
  'x-kubernetes-int-or-string': value(40, 'bool'),
  'x-kubernetes-list-map-keys': list(41),
  'x-kubernetes-list-type': pointer(42),
  'x-kubernetes-map-type': pointer(43),
  'x-kubernetes-validations': list(44, validationRule),
}));
