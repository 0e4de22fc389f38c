import type { JsonObject } from '@flotilla/json';
import type { KubeObject } from '../api/meta.ts';
import type { RequestContext } from './context.ts';
import type { StoredResource } from './resource.ts';
import type { OwnedKind } from './tracked-kind.ts';
import type { DecodeResult } from './write/decode.ts';

/** A client's write that mutating admission may change. The hooks of its kind have not run yet. */
export interface MutationAttributes {
  readonly resource: StoredResource;
  /** The kind of `object`, if it differs from `resource` (`SubresourceRequest`). */
  readonly requestKind?: OwnedKind | undefined;
  readonly operation: 'CREATE' | 'UPDATE';
  /** '' if the write is to the object itself, otherwise for example `status`. */
  readonly subresource: string;
  /** The decoded object of the request, with defaults. Must not be changed in place. */
  readonly object: KubeObject;
  /** The stored object; absent for a create. */
  readonly old?: KubeObject;
  readonly context: RequestContext;
  readonly dryRun: boolean;
  /** Decodes a changed object like a request body: prunes it and applies defaults. Throws DecodeError. */
  decode(document: JsonObject): DecodeResult;
}
