import type { JsonObject } from '@flotilla/json';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import type { ServedVersion } from '../discovery/served-groups.ts';
import { componentName } from './component-names.ts';
import { kindComponents, listComponent, listComponentName, type OpenApiVersion } from './kind-components.ts';
import { metaComponents } from './meta-components.ts';
import { openApiPathsOf } from './paths.ts';

/**
 * Returns the OpenAPI v3 document of one group version. The document contains every component that it refers to (rules
 * OAPI-02, OAPI-15). If `openApi` is `v2`, the components of custom resources contain only what Swagger 2.0 can
 * express, so the caller can convert the document.
 */
export function groupVersionDocument(
  served: ServedVersion,
  serverVersion: string,
  openApi: OpenApiVersion = 'v3',
): JsonObject {
  const paths: JsonObject = {};
  const schemas: JsonObject = metaComponents([served]);
  for (const resource of served.resources) {
    Object.assign(paths, openApiPathsOf(resource));
    Object.assign(schemas, componentsOf(resource, openApi));
  }
  return {
    openapi: '3.0.0',
    info: { title: 'Flotilla', version: serverVersion },
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        BearerToken: {
          type: 'apiKey',
          name: 'authorization',
          in: 'header',
          description: 'Bearer token authentication',
        },
      },
    },
    security: [{ BearerToken: [] }],
  };
}

function componentsOf({ kind, verbs, subresources }: MountedResource, openApi: OpenApiVersion): JsonObject {
  const components = kindComponents(kind, openApi);
  if (verbs.list !== undefined) components[listComponentName(kind)] = listComponent(kind);
  for (const subresource of Object.values(subresources)) {
    if (Object.hasOwn(components, componentName(subresource.kind))) continue;
    Object.assign(components, kindComponents(subresource.kind, openApi));
  }
  return components;
}

/** Returns the OpenAPI v3 document of a path without a group version, such as `/version` (rule OAPI-01). */
export function singlePathDocument(path: string, description: string, serverVersion: string): JsonObject {
  return {
    openapi: '3.0.0',
    info: { title: 'Flotilla', version: serverVersion },
    paths: {
      [path]: {
        get: {
          description,
          operationId: `get${path.replace(/[^A-Za-z0-9]+(.)?/g, (_, next: string | undefined) => next?.toUpperCase() ?? '')}`,
          responses: {
            200: { description: 'OK', content: { 'application/json': { schema: { type: 'object' } } } },
            401: { description: 'Unauthorized' },
          },
        },
      },
    },
    components: { schemas: {} },
  };
}
