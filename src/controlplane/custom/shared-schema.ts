import { createHash } from 'node:crypto';
import type { SchemaProps } from '../../api/apiextensions/definition.ts';
import type { Schema } from '../../api/schema/schema.ts';

export interface SharedSchema {
  readonly schema: Schema;
  /** A SHA-256 digest. Schemas with equal content have the same digest. */
  readonly digest: string;
}

const cache = new Map<string, WeakRef<Schema>>();
const cleanup = new FinalizationRegistry<string>((digest) => {
  if (cache.get(digest)?.deref() === undefined) cache.delete(digest);
});

/**
 * Returns the same object for all schemas with equal content, even in different planes. This saves memory: the schemas
 * of one operator can take megabytes, and the compiled rules of these schemas take more. An unused schema is
 * garbage-collected.
 */
export function sharedSchema(sent: SchemaProps): SharedSchema {
  const text = JSON.stringify(sent, (_name, value) => (typeof value === 'bigint' ? `${value}n` : value));
  const digest = createHash('sha256').update(text).digest('base64url');
  const found = cache.get(digest)?.deref();
  if (found !== undefined) return { schema: found, digest };
  const schema = sent as Schema;
  cache.set(digest, new WeakRef(schema));
  cleanup.register(schema, digest);
  return { schema, digest };
}
