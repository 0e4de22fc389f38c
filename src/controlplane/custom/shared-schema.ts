import { createHash } from 'node:crypto';
import type { SchemaProps } from '../../api/apiextensions/definition.ts';
import type { Schema } from '../../api/schema/schema.ts';

export interface SharedSchema {
  readonly schema: Schema;
  /** Equal content has an equal digest. */
  readonly digest: string;
}

const cache = new Map<string, WeakRef<Schema>>();
const cleanup = new FinalizationRegistry<string>((digest) => {
  if (cache.get(digest)?.deref() === undefined) cache.delete(digest);
});

/**
 * Returns one object for all schemas of equal content, across planes: the schemas of an operator take megabytes, and
 * their compiled form takes more. It is garbage-collected with the last kind that uses it.
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
