import type { JsonValue } from '@flotilla/json';

/**
 * A structural schema: the subset of OpenAPI v3, with extensions, that Kubernetes allows as the schema of a kind. It
 * comes from the schema builder or from a CustomResourceDefinition. The server publishes it in its OpenAPI documents.
 */
export interface Schema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: JsonValue;
  readonly enum?: readonly JsonValue[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  /** CEL rules that values of this schema must satisfy. */
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  /**
   * The strategy with which a strategic merge patch changes the value. By default, lists are replaced and objects are
   * merged.
   */
  readonly 'x-kubernetes-patch-strategy'?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** A CEL rule, and the error that is reported if it evaluates to false. */
export interface ValidationRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  /** The type of the reported error. Optional; defaults to FieldValueInvalid. */
  readonly reason?: string;
  /** The path of the field for which the error is reported, relative to the field that has the rule. */
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}
