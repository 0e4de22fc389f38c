import { goJsonTypeName } from '@flotilla/go-text';
import { getMember, isJsonObject, type JsonObject, type JsonValue, setMember } from '@flotilla/json';
import { badRequest } from '../../api/status.ts';

/**
 * Applies a JSON merge patch (RFC 7396): null removes a member, objects are merged, all other values replace the old
 * value. Returns a new document that shares unchanged parts with the inputs. Throws 400 if the patch is not an object.
 */
export function applyMergePatch(document: JsonObject, patch: JsonValue): JsonObject {
  if (!isJsonObject(patch)) {
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goJsonTypeName(patch)} into Go value of type map[string]interface {}`,
    );
  }
  return mergeObjects(document, patch);
}

function mergeObjects(document: JsonObject, patch: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const key of Object.keys(document)) {
    const change = getMember(patch, key);
    if (change === null) continue;
    const member = document[key] as JsonValue;
    setMember(merged, key, change === undefined ? member : mergeValues(member, change));
  }
  for (const key of Object.keys(patch)) {
    const change = patch[key] as JsonValue;
    if (change !== null && !Object.hasOwn(document, key)) setMember(merged, key, mergeValues(null, change));
  }
  return merged;
}

function mergeValues(value: JsonValue, change: JsonValue): JsonValue {
  if (!isJsonObject(change)) return change;
  return mergeObjects(isJsonObject(value) ? value : {}, change);
}
