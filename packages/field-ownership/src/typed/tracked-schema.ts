import type { JsonValue } from '@flotilla/json';

/** The members of a structural schema (OpenAPI v3 with the extensions of Kubernetes) that field ownership depends on. */
export interface TrackedSchema {
  readonly type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly format?: string;
  readonly default?: JsonValue;
  readonly properties?: Readonly<Record<string, TrackedSchema>>;
  readonly additionalProperties?: TrackedSchema | boolean;
  readonly items?: TrackedSchema;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
}
