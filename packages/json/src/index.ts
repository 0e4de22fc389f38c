export { findMember, skipJson, skipOut, walkMembers } from './fast/json-skip.ts';
export { KeyOrderCache } from './fast/key-order-cache.ts';
export { CanonicalJson, canonicalJson } from './json-canonical.ts';
export { isNestedDeeper, isTextNestedDeeper } from './json-depth.ts';
export { compareBytes, sortByBytes } from './json-order.ts';
export { JsonSyntaxError, maxValues, parseJson, parseTrustedJson } from './json-parse.ts';
export { flagAt, listAt, numberAt, objectAt, textAt, textsAt, valueAt } from './json-path.ts';
export { exactInteger } from './json-reader.ts';
export {
  cloneJson,
  deepFreeze,
  equalJson,
  getMember,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  setMember,
} from './json-value.ts';
export { writeJson } from './json-write.ts';
