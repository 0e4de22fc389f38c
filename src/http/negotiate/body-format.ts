import type { ResourceKind } from '../../api/resource.ts';
import { unsupportedMediaType } from '../../api/status.ts';
import { parseMediaRange } from './media-type.ts';
import { type BodyFormat, mediaTypes } from './negotiate.ts';

/**
 * Returns the format of a request body from its Content-Type; JSON if there is no Content-Type (rules NEG-01 to
 * NEG-03).
 */
export function bodyFormat(contentType: string | undefined, accepted: readonly BodyFormat[]): BodyFormat {
  if (contentType === undefined) return 'json';
  for (const candidate of accepted) if (mediaTypes[candidate] === contentType) return candidate;
  if (contentType.trim() === '') return 'json';
  const range = parseMediaRange(contentType);
  const essence = range === undefined ? '' : `${range.type}/${range.subtype}`;
  const format = accepted.find((candidate) => mediaTypes[candidate] === essence);
  if (format === undefined) throw unknownFormat(accepted.map((candidate) => mediaTypes[candidate]));
  return format;
}

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/**
 * Returns the patch types that a kind supports. Only built-in kinds support strategic merge patches. For other kinds,
 * clients fall back to a merge patch after they get 415.
 */
export function patchTypesOf(kind: Pick<ResourceKind, 'builtIn'>): readonly PatchType[] {
  return kind.builtIn === true ? typedPatchTypes : ownPatchTypes;
}

const ownPatchTypes: readonly PatchType[] = ['json', 'merge', 'apply'];
const typedPatchTypes: readonly PatchType[] = ['json', 'merge', 'strategic', 'apply'];

/** Returns the patch type of a Content-Type. Throws 415 if it is absent or unsupported (rules PATCH-01 to PATCH-03). */
export function patchTypeOf(contentType: string | undefined, accepted: readonly PatchType[]): PatchType {
  for (const type of accepted) if (patchTypes[type] === contentType) return type;
  const essence = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase();
  for (const type of accepted) if (patchTypes[type] === essence) return type;
  throw unknownFormat(accepted.map((type) => patchTypes[type]));
}

function unknownFormat(accepted: readonly string[]): Error {
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}
