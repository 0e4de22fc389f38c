import type { JsonValue } from '../../lib/json-value.ts';

/**
 * A structural schema: the part of OpenAPI v3 that Kubernetes allows for a kind, with its extensions. It is what
 * TypeBox values are, what a custom resource definition brings, and what OpenAPI publishes.
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
  /** Rules in CEL about values of this schema. */
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  /** How a strategic merge patch treats the member; nothing: lists are replaced, objects merged. */
  readonly 'x-kubernetes-patch-strategy'?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly 'x-kubernetes-patch-merge-key'?: string;
}

/** What must hold, and what is said where it does not. */
export interface ValidationRule {
  readonly rule?: string;
  readonly message?: string;
  readonly messageExpression?: string;
  /** The type of the error: FieldValueInvalid where nothing is said. */
  readonly reason?: string;
  /** The field that the error is about, below the one that has the rule. */
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}
