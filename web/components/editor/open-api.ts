import { apiVersionOf } from '../../../src/api/meta.ts';
import { type ApiRoot, managementRoot } from '../../data/api-root.ts';
import type { KindRef } from '../../data/kind-ref.ts';
import { queryClient } from '../../data/query-client.ts';
import { sendJson } from '../../data/send.ts';
import { type OpenApiDocument, type SchemaTree, schemaOfKind } from './schema-tree.ts';

/** Documents are large; a server's schemas change when somebody installs something there. */
const staleTime = 10 * 60_000;

/** The schema of a kind as its own server publishes it, asked for once; undefined where there is none to be had. */
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
    // Hints are a help, not a condition: what is typed is checked by the server in any case.
    return undefined;
  }
}
