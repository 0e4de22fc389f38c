/** The type of a schema keyword's value. Types named `exact-…` keep an empty or false value. */
export type KeywordType =
  | 'text'
  /** A string whose empty value is kept, because it differs from an absent string. */
  | 'exact-text'
  | 'flag'
  | 'exact-flag'
  | 'number'
  | 'whole'
  | 'json'
  | 'jsons'
  | 'texts'
  | 'schema'
  | 'schemas'
  | 'schema-map'
  | 'schema-or-flag'
  | 'schema-or-schemas'
  | 'dependencies'
  | 'documentation'
  | 'rules';

/** The keywords of a schema in the order in which Go writes them, each with its value type and its Go field name. */
export const schemaKeywords: readonly (readonly [keyword: string, type: KeywordType, goName: string])[] = [
  ['id', 'text', 'ID'],
  ['$schema', 'text', 'Schema'],
  ['$ref', 'exact-text', 'Ref'],
  ['description', 'text', 'Description'],
  ['type', 'text', 'Type'],
  ['format', 'text', 'Format'],
  ['title', 'text', 'Title'],
  ['default', 'json', 'Default'],
  ['maximum', 'number', 'Maximum'],
  ['exclusiveMaximum', 'flag', 'ExclusiveMaximum'],
  ['minimum', 'number', 'Minimum'],
  ['exclusiveMinimum', 'flag', 'ExclusiveMinimum'],
  ['maxLength', 'whole', 'MaxLength'],
  ['minLength', 'whole', 'MinLength'],
  ['pattern', 'text', 'Pattern'],
  ['maxItems', 'whole', 'MaxItems'],
  ['minItems', 'whole', 'MinItems'],
  ['uniqueItems', 'flag', 'UniqueItems'],
  ['multipleOf', 'number', 'MultipleOf'],
  ['enum', 'jsons', 'Enum'],
  ['maxProperties', 'whole', 'MaxProperties'],
  ['minProperties', 'whole', 'MinProperties'],
  ['required', 'texts', 'Required'],
  ['items', 'schema-or-schemas', 'Items'],
  ['allOf', 'schemas', 'AllOf'],
  ['oneOf', 'schemas', 'OneOf'],
  ['anyOf', 'schemas', 'AnyOf'],
  ['not', 'schema', 'Not'],
  ['properties', 'schema-map', 'Properties'],
  ['additionalProperties', 'schema-or-flag', 'AdditionalProperties'],
  ['patternProperties', 'schema-map', 'PatternProperties'],
  ['dependencies', 'dependencies', 'Dependencies'],
  ['additionalItems', 'schema-or-flag', 'AdditionalItems'],
  ['definitions', 'schema-map', 'Definitions'],
  ['externalDocs', 'documentation', 'ExternalDocs'],
  ['example', 'json', 'Example'],
  ['nullable', 'flag', 'Nullable'],
  ['x-kubernetes-preserve-unknown-fields', 'exact-flag', 'XPreserveUnknownFields'],
  ['x-kubernetes-embedded-resource', 'flag', 'XEmbeddedResource'],
  ['x-kubernetes-int-or-string', 'flag', 'XIntOrString'],
  ['x-kubernetes-list-map-keys', 'texts', 'XListMapKeys'],
  ['x-kubernetes-list-type', 'exact-text', 'XListType'],
  ['x-kubernetes-map-type', 'exact-text', 'XMapType'],
  ['x-kubernetes-validations', 'rules', 'XValidations'],
];
