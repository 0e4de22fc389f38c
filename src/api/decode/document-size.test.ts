import type { JsonObject, JsonValue } from '@flotilla/json';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../status.ts';
import { checkDocumentSize, checkSentDocument, maxMembers } from './document-size.ts';

const members = (count: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 1]));

function refusal(check: () => void): string {
  try {
    check();
  } catch (error) {
    if (error instanceof StatusError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return '';
}

describe('a document', () => {
  it('may have 10,000 members in one object, but not more', () => {
    expect(refusal(() => checkDocumentSize({ data: members(maxMembers) }))).toBe('');
    expect(refusal(() => checkDocumentSize({ data: members(maxMembers + 1) }))).toBe(
      '413: Request entity too large: an object in it has 10001 members, and at most 10000 are allowed',
    );
  });

  it('may have 60,000 values, but not more', () => {
    const rows = (count: number): JsonValue => Array.from({ length: count }, () => [1, 2]);
    expect(refusal(() => checkDocumentSize({ rows: rows(19_999) }))).toBe('');
    expect(refusal(() => checkDocumentSize({ rows: rows(20_000) }))).toBe(
      '413: Request entity too large: it has more than 60000 values',
    );
  });

  it('is checked only if it is long enough to exceed a limit', () => {
    expect(refusal(() => checkSentDocument(members(maxMembers + 1), 49_999))).toBe('');
    expect(refusal(() => checkSentDocument(members(maxMembers + 1), 50_000))).not.toBe('');
  });
});
