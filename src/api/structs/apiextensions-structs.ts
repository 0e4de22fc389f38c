import {
  alwaysPrintedField,
  alwaysPrintedList,
  defineStruct,
  listField,
  markOptional,
  markRequired,
  pointerField,
  valueField,
} from './go-struct.ts';
import { jsonSchemaProps } from './json-schema-struct.ts';
import { objectMeta } from './meta-structs.ts';

const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const customResourceDefinitionNames = defineStruct(`${apiextensions}.CustomResourceDefinitionNames`, {
  plural: alwaysPrintedField(1),
  singular: valueField(2),
  shortNames: listField(3),
  kind: alwaysPrintedField(4),
  listKind: valueField(5),
  categories: listField(6),
});

const customResourceValidation = defineStruct(`${apiextensions}.CustomResourceValidation`, {
  openAPIV3Schema: pointerField(1, jsonSchemaProps),
});

const customResourceSubresourceStatus = defineStruct(`${apiextensions}.CustomResourceSubresourceStatus`, {});

const customResourceSubresourceScale = defineStruct(`${apiextensions}.CustomResourceSubresourceScale`, {
  specReplicasPath: alwaysPrintedField(1),
  statusReplicasPath: alwaysPrintedField(2),
  labelSelectorPath: pointerField(3),
});

const customResourceSubresources = defineStruct(`${apiextensions}.CustomResourceSubresources`, {
  status: pointerField(1, customResourceSubresourceStatus),
  scale: pointerField(2, customResourceSubresourceScale),
});

const customResourceColumnDefinition = defineStruct(`${apiextensions}.CustomResourceColumnDefinition`, {
  name: alwaysPrintedField(1),
  type: alwaysPrintedField(2),
  format: valueField(3),
  description: valueField(4),
  priority: valueField(5, 'int32'),
  jsonPath: alwaysPrintedField(6),
});

const selectableField = defineStruct(`${apiextensions}.SelectableField`, { jsonPath: alwaysPrintedField(1) });

const customResourceDefinitionVersion = defineStruct(`${apiextensions}.CustomResourceDefinitionVersion`, {
  name: alwaysPrintedField(1),
  served: alwaysPrintedField(2, 'bool'),
  storage: alwaysPrintedField(3, 'bool'),
  deprecated: valueField(7, 'bool'),
  deprecationWarning: pointerField(8),
  schema: pointerField(4, customResourceValidation),
  subresources: pointerField(5, customResourceSubresources),
  additionalPrinterColumns: listField(6, customResourceColumnDefinition),
  selectableFields: listField(9, selectableField),
});

const serviceReference = defineStruct(`${apiextensions}.ServiceReference`, {
  namespace: alwaysPrintedField(1),
  name: alwaysPrintedField(2),
  path: pointerField(3),
  port: pointerField(4, 'int32'),
});

const webhookClientConfig = defineStruct(`${apiextensions}.WebhookClientConfig`, {
  url: pointerField(3),
  service: pointerField(1, serviceReference),
  caBundle: pointerField(2, 'bytes'),
});

const webhookConversion = defineStruct(`${apiextensions}.WebhookConversion`, {
  clientConfig: pointerField(2, webhookClientConfig),
  conversionReviewVersions: alwaysPrintedList(3),
});

const customResourceConversion = defineStruct(`${apiextensions}.CustomResourceConversion`, {
  strategy: alwaysPrintedField(1),
  webhook: pointerField(2, webhookConversion),
});

const customResourceDefinitionSpec = defineStruct(`${apiextensions}.CustomResourceDefinitionSpec`, {
  group: alwaysPrintedField(1),
  names: markRequired(valueField(3, customResourceDefinitionNames)),
  scope: alwaysPrintedField(4),
  versions: alwaysPrintedList(7, customResourceDefinitionVersion),
  conversion: pointerField(9, customResourceConversion),
  preserveUnknownFields: valueField(10, 'bool'),
});

const customResourceDefinitionCondition = defineStruct(`${apiextensions}.CustomResourceDefinitionCondition`, {
  type: alwaysPrintedField(1),
  status: alwaysPrintedField(2),
  lastTransitionTime: valueField(3, 'time'),
  reason: valueField(4),
  message: valueField(5),
  observedGeneration: valueField(6, 'int64'),
});

const customResourceDefinitionStatus = defineStruct(`${apiextensions}.CustomResourceDefinitionStatus`, {
  conditions: markOptional(alwaysPrintedList(1, customResourceDefinitionCondition)),
  acceptedNames: valueField(2, customResourceDefinitionNames),
  storedVersions: markOptional(alwaysPrintedList(3)),
  observedGeneration: valueField(4, 'int64'),
});

export const customResourceDefinition = defineStruct(`${apiextensions}.CustomResourceDefinition`, {
  metadata: valueField(1, objectMeta),
  spec: markRequired(valueField(2, customResourceDefinitionSpec)),
  status: valueField(3, customResourceDefinitionStatus),
});
