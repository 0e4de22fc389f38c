import { unsupportedMediaType } from '../api/status.ts';
import { parseMediaRange } from './media-type.ts';
import { type Format, mediaTypes } from './negotiate.ts';

/** The format of a body on POST, PUT and DELETE; JSON where nothing is said (rules NEG-01 to NEG-03). */
export function bodyFormat(contentType: string | undefined, accepted: readonly Format[]): Format {
  if (contentType === undefined || contentType.trim() === '') return 'json';
  const range = parseMediaRange(contentType);
  const essence = range === undefined ? '' : `${range.type}/${range.subtype}`;
  const format = accepted.find((candidate) => mediaTypes[candidate] === essence);
  if (format === undefined) throw unknownFormat(accepted.map((candidate) => mediaTypes[candidate]));
  return format;
}

export type PatchType = 'json' | 'merge' | 'apply';

const patchTypes: Readonly<Record<PatchType, string>> = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** Rules PATCH-01 to PATCH-03: a content type is needed; clients fall back from strategic merge on this very 415. */
export function patchTypeOf(contentType: string | undefined): PatchType {
  const essence = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase();
  for (const type of ['json', 'merge', 'apply'] as const) if (patchTypes[type] === essence) return type;
  throw unknownFormat(Object.values(patchTypes));
}

function unknownFormat(accepted: readonly string[]): Error {
  return unsupportedMediaType(
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}
