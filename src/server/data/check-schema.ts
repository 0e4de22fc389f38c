import type { HealthCheck } from '../../http/plane.ts';
import { StartError } from '../../process/start-error.ts';
import { parseSchema, readSchema, schemaKey, schemaProblem } from '../../replicas/store-schema.ts';
import type { Store } from '../../store/store.ts';
import type { StoreFreshness } from '../freshness/store-freshness.ts';
import type { InstallationRows } from '../secrets/installation-rows.ts';
import { supportedSchemas } from './supported-schemas.ts';

/** Throws StartError if this program does not support the schema of the store. */
export async function assertSupportedSchema(store: Pick<Store, 'get'>): Promise<void> {
  const { schema } = await readSchema(store);
  assertSupported(schema);
}

/** Raises the schema of a store that no other server uses to the highest schema that this program supports. */
export async function raiseSchema(store: Pick<Store, 'get' | 'transact'>): Promise<void> {
  const [, highest] = supportedSchemas;
  const { schema, revision } = await readSchema(store);
  if (schema >= highest) return;
  const checks = [{ key: schemaKey, revision }];
  await store.transact({ checks, writes: [{ key: schemaKey, value: String(highest) }], usesReserve: true });
}

/**
 * Refuses all requests as soon as other servers have raised the schema beyond the schemas that this program supports.
 * Other servers can do that only if this server is not registered, for example because it was paused. Returns the check
 * for `/readyz`. Throws StartError if the current schema is not supported.
 */
export function followSchema(
  rows: Pick<InstallationRows, 'get' | 'listen'>,
  freshness: Pick<StoreFreshness, 'refuse'>,
): HealthCheck {
  const schema = () => parseSchema(rows.get('schema')).schema;
  assertSupported(schema());
  rows.listen(() => {
    const problem = schemaProblem(schema(), supportedSchemas);
    if (problem !== undefined) freshness.refuse(problem);
  });
  return { name: 'schema', on: ['readyz'], check: () => assertSupported(schema()) };
}

function assertSupported(schema: number): void {
  const problem = schemaProblem(schema, supportedSchemas);
  if (problem !== undefined) throw new StartError(problem);
}
