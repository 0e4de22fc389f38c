import type { JsonObject, JsonValue } from '@flotilla/json';
import type { Condition } from '../conditions.ts';
import type { KubeObject } from '../meta.ts';
import type { ValidationRule } from '../schema/schema.ts';

/*
 * Types of a decoded custom resource definition. Absent members count as Go's zero value.
 */

export interface Definition {
  readonly metadata: KubeObject['metadata'];
  readonly spec: DefinitionSpec;
  readonly status: DefinitionStatus;
}

export interface DefinitionSpec {
  readonly group?: string;
  readonly names?: DefinitionNames;
  readonly scope?: string;
  readonly versions?: readonly DefinitionVersion[];
  readonly conversion?: Conversion;
  readonly preserveUnknownFields?: boolean;
}

export interface DefinitionNames {
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind?: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface DefinitionVersion {
  readonly name?: string;
  readonly served?: boolean;
  readonly storage?: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: SchemaProps };
  readonly subresources?: Subresources;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly SelectableField[];
}

export interface Subresources {
  readonly status?: JsonObject;
  readonly scale?: ScaleSubresource;
}

export interface ScaleSubresource {
  readonly specReplicasPath?: string;
  readonly statusReplicasPath?: string;
  readonly labelSelectorPath?: string;
}

export interface PrinterColumn {
  readonly name?: string;
  readonly type?: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath?: string;
}

export interface SelectableField {
  readonly jsonPath?: string;
}

export interface Conversion {
  readonly strategy?: string;
  readonly webhook?: {
    readonly clientConfig?: JsonObject;
    readonly conversionReviewVersions?: readonly string[];
  };
}

export interface DefinitionStatus {
  readonly conditions?: readonly Condition[] | null;
  readonly acceptedNames?: DefinitionNames;
  readonly storedVersions?: readonly string[];
}

/** An OpenAPI schema as a client wrote it. It includes keywords that validation rejects later. */
export interface SchemaProps {
  readonly id?: string;
  readonly $schema?: string;
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly title?: string;
  readonly default?: JsonValue;
  readonly maximum?: number;
  readonly exclusiveMaximum?: boolean;
  readonly minimum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly multipleOf?: number;
  readonly enum?: readonly JsonValue[];
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly items?: SchemaProps | readonly SchemaProps[];
  readonly allOf?: readonly SchemaProps[];
  readonly oneOf?: readonly SchemaProps[];
  readonly anyOf?: readonly SchemaProps[];
  readonly not?: SchemaProps;
  readonly properties?: Readonly<Record<string, SchemaProps>>;
  readonly additionalProperties?: SchemaProps | boolean;
  readonly patternProperties?: Readonly<Record<string, SchemaProps>>;
  readonly dependencies?: Readonly<Record<string, SchemaProps | readonly string[]>>;
  readonly additionalItems?: SchemaProps | boolean;
  readonly definitions?: Readonly<Record<string, SchemaProps>>;
  readonly externalDocs?: JsonObject;
  readonly example?: JsonValue;
  readonly nullable?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/**
 * Returns the spec, status and metadata of a CustomResourceDefinition as typed members. Does not copy or check them.
 */
export function definitionOf(object: KubeObject): Definition {
  const { spec = {}, status = {} } = object as { spec?: DefinitionSpec; status?: DefinitionStatus };
  return { metadata: object.metadata, spec, status };
}

/** Returns the schema of the list items. `undefined` for a list of schemas, which validation rejects. */
export function itemsSchemaOf({ items }: SchemaProps): SchemaProps | undefined {
  return Array.isArray(items) ? undefined : (items as SchemaProps | undefined);
}

export function conditionOf(definition: Definition, type: string): Condition | undefined {
  return (definition.status.conditions ?? []).find((condition) => condition.type === type);
}

export function isConditionTrue(definition: Definition, type: string): boolean {
  return conditionOf(definition, type)?.status === 'True';
}
