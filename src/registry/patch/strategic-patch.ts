import { metadataSchema } from '@flotilla/field-ownership';
import type { JsonObject, JsonValue } from '@flotilla/json';
import {
  applyStrategicMerge,
  ListOfListsError,
  MalformedPatchError,
  UnmergeablePatchError,
} from '@flotilla/strategic-merge';
import type { ResourceKind } from '../../api/resource.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { badRequest, unprocessable } from '../../api/status.ts';

type PatchedKind = Pick<ResourceKind, 'kind' | 'schema' | 'confidential'>;

/**
 * Applies a strategic merge patch to an object (rule PATCH-01). Throws 400 or 422 with the message of Kubernetes,
 * although Kubernetes responds to some of these errors with 500.
 */
export function applyStrategicPatch(resource: PatchedKind, object: JsonObject, patch: JsonValue): JsonObject {
  const { kind, schema } = resource;
  try {
    return applyStrategicMerge({ kind, schema: withMetadata(schema) }, object, patch);
  } catch (error) {
    if (error instanceof MalformedPatchError) throw badRequest(error.message);
    if (error instanceof UnmergeablePatchError) throw unprocessable(shownMessage(resource, error));
    throw error;
  }
}

function withMetadata(schema: Schema): Schema {
  return { ...schema, properties: { ...schema.properties, metadata: metadataSchema } };
}

/**
 * Returns the message for the client. The original message may quote the value that could not be merged, so it is not
 * shown for a confidential kind. The message about a list of lists is never shown, as in kube-apiserver.
 */
function shownMessage({ confidential }: PatchedKind, error: UnmergeablePatchError): string {
  const isHidden = confidential === true || error instanceof ListOfListsError;
  return isHidden ? 'the server rejected our request due to an error in our request' : error.message;
}
