import {
  alwaysPrinted,
  alwaysPrintedList,
  list,
  markOptional,
  markRequired,
  pointer,
  struct,
  value,
} from './go-struct.ts';
import { jsonSchemaProps } from './json-schema-struct.ts';
import { objectMeta } from './meta-structs.ts';

const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const customResourceDefinitionNames = struct(`${apiextensions}.CustomResourceDefinitionNames`, {
  plural: alwaysPrinted(1),
  singular: value(2),
  shortNames: list(3),
  kind: alwaysPrinted(4),
  listKind: value(5),
  categories: list(6),
});

const customResourceValidation = struct(`${apiextensions}.CustomResourceValidation`, {
  openAPIV3Schema: pointer(1, jsonSchemaProps),
});

const customResourceSubresourceStatus = struct(`${apiextensions}.CustomResourceSubresourceStatus`, {});

const customResourceSubresourceScale = struct(`${apiextensions}.CustomResourceSubresourceScale`, {
  specReplicasPath: alwaysPrinted(1),
  statusReplicasPath: alwaysPrinted(2),
  labelSelectorPath: pointer(3),
});

const customResourceSubresources = struct(`${apiextensions}.CustomResourceSubresources`, {
  status: pointer(1, customResourceSubresourceStatus),
  scale: pointer(2, customResourceSubresourceScale),
});

const customResourceColumnDefinition = struct(`${apiextensions}.CustomResourceColumnDefinition`, {
  name: alwaysPrinted(1),
  type: alwaysPrinted(2),
  format: value(3),
  description: value(4),
  priority: value(5, 'int32'),
  jsonPath: alwaysPrinted(6),
});

const selectableField = struct(`${apiextensions}.SelectableField`, { jsonPath: alwaysPrinted(1) });

const customResourceDefinitionVersion = struct(`${apiextensions}.CustomResourceDefinitionVersion`, {
  name: alwaysPrinted(1),
  served: alwaysPrinted(2, 'bool'),
  storage: alwaysPrinted(3, 'bool'),
  deprecated: value(7, 'bool'),
  deprecationWarning: pointer(8),
  schema: pointer(4, customResourceValidation),
  subresources: pointer(5, customResourceSubresources),
  additionalPrinterColumns: list(6, customResourceColumnDefinition),
  selectableFields: list(9, selectableField),
});

const serviceReference = struct(`${apiextensions}.ServiceReference`, {
  namespace: alwaysPrinted(1),
  name: alwaysPrinted(2),
  path: pointer(3),
  port: pointer(4, 'int32'),
});

const webhookClientConfig = struct(`${apiextensions}.WebhookClientConfig`, {
  url: pointer(3),
  service: pointer(1, serviceReference),
  caBundle: pointer(2, 'bytes'),
});

const webhookConversion = struct(`${apiextensions}.WebhookConversion`, {
  clientConfig: pointer(2, webhookClientConfig),
  conversionReviewVersions: alwaysPrintedList(3),
});

const customResourceConversion = struct(`${apiextensions}.CustomResourceConversion`, {
  strategy: alwaysPrinted(1),
  webhook: pointer(2, webhookConversion),
});

const customResourceDefinitionSpec = struct(`${apiextensions}.CustomResourceDefinitionSpec`, {
  group: alwaysPrinted(1),
  names: markRequired(value(3, customResourceDefinitionNames)),
  scope: alwaysPrinted(4),
  versions: alwaysPrintedList(7, customResourceDefinitionVersion),
  conversion: pointer(9, customResourceConversion),
  preserveUnknownFields: value(10, 'bool'),
});

const customResourceDefinitionCondition = struct(`${apiextensions}.CustomResourceDefinitionCondition`, {
  type: alwaysPrinted(1),
  status: alwaysPrinted(2),
  lastTransitionTime: value(3, 'time'),
  reason: value(4),
  message: value(5),
  observedGeneration: value(6, 'int64'),
});

const customResourceDefinitionStatus = struct(`${apiextensions}.CustomResourceDefinitionStatus`, {
  conditions: markOptional(alwaysPrintedList(1, customResourceDefinitionCondition)),
  acceptedNames: value(2, customResourceDefinitionNames),
  storedVersions: markOptional(alwaysPrintedList(3)),
  observedGeneration: value(4, 'int64'),
});

export const customResourceDefinition = struct(`${apiextensions}.CustomResourceDefinition`, {
  metadata: value(1, objectMeta),
  spec: markRequired(value(2, customResourceDefinitionSpec)),
  status: value(3, customResourceDefinitionStatus),
});
