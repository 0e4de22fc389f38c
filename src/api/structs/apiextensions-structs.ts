import { free, list, needed, pointer, shown, shownList, struct, value } from './go-struct.ts';
import { jsonSchemaProps } from './json-schema-struct.ts';
import { objectMeta } from './meta-structs.ts';

const apiextensions = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1';

const customResourceDefinitionNames = struct(`${apiextensions}.CustomResourceDefinitionNames`, {
  plural: shown(1),
  singular: value(2),
  shortNames: list(3),
  kind: shown(4),
  listKind: value(5),
  categories: list(6),
});

const customResourceValidation = struct(`${apiextensions}.CustomResourceValidation`, {
  openAPIV3Schema: pointer(1, jsonSchemaProps),
});

const customResourceSubresourceStatus = struct(`${apiextensions}.CustomResourceSubresourceStatus`, {});

const customResourceSubresourceScale = struct(`${apiextensions}.CustomResourceSubresourceScale`, {
  specReplicasPath: shown(1),
  statusReplicasPath: shown(2),
  labelSelectorPath: pointer(3),
});

const customResourceSubresources = struct(`${apiextensions}.CustomResourceSubresources`, {
  status: pointer(1, customResourceSubresourceStatus),
  scale: pointer(2, customResourceSubresourceScale),
});

const customResourceColumnDefinition = struct(`${apiextensions}.CustomResourceColumnDefinition`, {
  name: shown(1),
  type: shown(2),
  format: value(3),
  description: value(4),
  priority: value(5, 'int32'),
  jsonPath: shown(6),
});

const selectableField = struct(`${apiextensions}.SelectableField`, { jsonPath: shown(1) });

const customResourceDefinitionVersion = struct(`${apiextensions}.CustomResourceDefinitionVersion`, {
  name: shown(1),
  served: shown(2, 'bool'),
  storage: shown(3, 'bool'),
  deprecated: value(7, 'bool'),
  deprecationWarning: pointer(8),
  schema: pointer(4, customResourceValidation),
  subresources: pointer(5, customResourceSubresources),
  additionalPrinterColumns: list(6, customResourceColumnDefinition),
  selectableFields: list(9, selectableField),
});

const serviceReference = struct(`${apiextensions}.ServiceReference`, {
  namespace: shown(1),
  name: shown(2),
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
  conversionReviewVersions: shownList(3),
});

const customResourceConversion = struct(`${apiextensions}.CustomResourceConversion`, {
  strategy: shown(1),
  webhook: pointer(2, webhookConversion),
});

const customResourceDefinitionSpec = struct(`${apiextensions}.CustomResourceDefinitionSpec`, {
  group: shown(1),
  names: needed(value(3, customResourceDefinitionNames)),
  scope: shown(4),
  versions: shownList(7, customResourceDefinitionVersion),
  conversion: pointer(9, customResourceConversion),
  preserveUnknownFields: value(10, 'bool'),
});

const customResourceDefinitionCondition = struct(`${apiextensions}.CustomResourceDefinitionCondition`, {
  type: shown(1),
  status: shown(2),
  lastTransitionTime: value(3, 'time'),
  reason: value(4),
  message: value(5),
  observedGeneration: value(6, 'int64'),
});

const customResourceDefinitionStatus = struct(`${apiextensions}.CustomResourceDefinitionStatus`, {
  conditions: free(shownList(1, customResourceDefinitionCondition)),
  acceptedNames: value(2, customResourceDefinitionNames),
  storedVersions: free(shownList(3)),
  observedGeneration: value(4, 'int64'),
});

export const customResourceDefinition = struct(`${apiextensions}.CustomResourceDefinition`, {
  metadata: value(1, objectMeta),
  spec: needed(value(2, customResourceDefinitionSpec)),
  status: value(3, customResourceDefinitionStatus),
});
