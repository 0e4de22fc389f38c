import { apiVersionOf } from '../../../../src/api/meta.ts';
import { type ApiRoot, managementRoot } from '../../../data/api-root.ts';
import type { KindRef } from '../../../data/kind-ref.ts';
import { queryClient } from '../../../data/query-client.ts';
import { sendJson } from '../../../data/send.ts';
import { type OpenApiDocument, type SchemaTree, schemaOfKind } from './schema-tree.ts';

/**
 * The time in milliseconds for which a fetched OpenAPI document is reused. The document is large, and changes only if a
 * CRD is installed or changed.
 */
const staleTime = 10 * 60_000;

/** Fetches and caches the schema of a kind from its API server. `undefined` if there is no schema. */
export async function fetchSchema(kind: KindRef, root: ApiRoot = managementRoot): Promise<SchemaTree | undefined> {
  const url = `${root}/openapi/v3/${kind.group === '' ? 'api' : 'apis'}/${apiVersionOf(kind)}`;
  try {
    const document = await queryClient.fetchQuery({
      queryKey: ['openapi', url],
      staleTime,
      retry: false,
      queryFn: async ({ signal }): Promise<OpenApiDocument> => await sendJson<OpenApiDocument>({ url, signal }),
    });
    return schemaOfKind(document, kind);
  } catch {
    // The editor works without a schema, because the server validates every write.
    return undefined;
  }
}
