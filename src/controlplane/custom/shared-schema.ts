import { createHash } from 'node:crypto';
import type { SchemaProps } from '../../api/apiextensions/definition.ts';
import type { Schema } from '../../api/schema/schema.ts';

export interface SharedSchema {
  readonly schema: Schema;
  /** The same for the same content. */
  readonly digest: string;
}

const known = new Map<string, WeakRef<Schema>>();
const forgotten = new FinalizationRegistry<string>((digest) => {
  if (known.get(digest)?.deref() === undefined) known.delete(digest);
});

/**
 * One object for all schemas of the same content, whatever plane they are defined in: what an operator brings has
 * megabytes, and what is compiled of it more. It goes with the last kind that has it.
 */
export function sharedSchema(sent: SchemaProps): SharedSchema {
  const text = JSON.stringify(sent, (_name, value) => (typeof value === 'bigint' ? `${value}n` : value));
  const digest = createHash('sha256').update(text).digest('base64url');
  const found = known.get(digest)?.deref();
  if (found !== undefined) return { schema: found, digest };
  const schema = sent as Schema;
  known.set(digest, new WeakRef(schema));
  forgotten.register(schema, digest);
  return { schema, digest };
}
