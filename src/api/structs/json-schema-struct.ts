import {
  alwaysPrintedField,
  defineStruct,
  type GoStruct,
  listField,
  mapField,
  pointerField,
  valueField,
} from './go-struct.ts';

const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const externalDocumentation = defineStruct(`${apiextensions}.ExternalDocumentation`, {
  description: valueField(1),
  url: valueField(2),
});

const validationRule = defineStruct(`${apiextensions}.ValidationRule`, {
  rule: alwaysPrintedField(1),
  message: valueField(2),
  messageExpression: valueField(3),
  reason: pointerField(4),
  fieldPath: valueField(5),
  optionalOldSelf: pointerField(6, 'bool'),
});

/** The Go struct of a schema in a CustomResourceDefinition. It is recursive. */
export const jsonSchemaProps: GoStruct = defineStruct(`${apiextensions}.JSONSchemaProps`, () => ({
  id: valueField(1),
  $schema: valueField(2),
  $ref: pointerField(3),
  description: valueField(4),
  type: valueField(5),
  format: valueField(6),
  title: valueField(7),
  default: pointerField(8, 'json'),
  maximum: pointerField(9, 'double'),
  exclusiveMaximum: valueField(10, 'bool'),
  minimum: pointerField(11, 'double'),
  exclusiveMinimum: valueField(12, 'bool'),
  maxLength: pointerField(13, 'int64'),
  minLength: pointerField(14, 'int64'),
  pattern: valueField(15),
  maxItems: pointerField(16, 'int64'),
  minItems: pointerField(17, 'int64'),
  uniqueItems: valueField(18, 'bool'),
  multipleOf: pointerField(19, 'double'),
  enum: listField(20, 'json'),
  maxProperties: pointerField(21, 'int64'),
  minProperties: pointerField(22, 'int64'),
  required: listField(23),
  items: pointerField(24, { struct: jsonSchemaProps, or: 'structs' }),
  allOf: listField(25, jsonSchemaProps),
  oneOf: listField(26, jsonSchemaProps),
  anyOf: listField(27, jsonSchemaProps),
  not: pointerField(28, jsonSchemaProps),
  properties: mapField(29, jsonSchemaProps),
  additionalProperties: pointerField(30, { struct: jsonSchemaProps, or: 'bool' }),
  patternProperties: mapField(31, jsonSchemaProps),
  dependencies: mapField(32, { struct: jsonSchemaProps, or: 'strings' }),
  additionalItems: pointerField(33, { struct: jsonSchemaProps, or: 'bool' }),
  definitions: mapField(34, jsonSchemaProps),
  externalDocs: pointerField(35, externalDocumentation),
  example: pointerField(36, 'json'),
  nullable: valueField(37, 'bool'),
  'x-kubernetes-preserve-unknown-fields': pointerField(38, 'bool'),
  'x-kubernetes-embedded-resource': valueField(39, 'bool'),
  'x-kubernetes-int-or-string': valueField(40, 'bool'),
  'x-kubernetes-list-map-keys': listField(41),
  'x-kubernetes-list-type': pointerField(42),
  'x-kubernetes-map-type': pointerField(43),
  'x-kubernetes-validations': listField(44, validationRule),
}));
