import type { JsonValue } from '@flotilla/json';
import { DUMP_SCHEMA, defineScalarTag, dump, intYaml11Tag, Schema } from 'js-yaml';

/**
 * Matches octal numbers of YAML 1.2 (`0o17`), which are strings in YAML 1.1. The tag below treats a matching text as a
 * number, so the YAML library quotes strings of this form.
 */
const octal = /^[-+]?0o[0-7_]+$/;

/** A YAML tag that also writes integers beyond 2^53 exactly. The library's own tag for integers rejects them. */
const exactInt = defineScalarTag<unknown>(intYaml11Tag.tagName, {
  implicit: true,
  implicitFirstChars: intYaml11Tag.implicitFirstChars,
  resolve: (source, isExplicit, tagName) =>
    octal.test(source) ? 0 : intYaml11Tag.resolve(source, isExplicit, tagName),
  identify: (value) => typeof value === 'bigint' || intYaml11Tag.identify(value),
  represent: (value) => (typeof value === 'bigint' ? value.toString() : intYaml11Tag.represent(value)),
});

const schema = new Schema(DUMP_SCHEMA.tags.map((tag) => (tag.tagName === exactInt.tagName ? exactInt : tag)));

/**
 * Writes YAML that parsers of YAML 1.1 and 1.2 read identically. Quotes strings that parsers of either version would
 * read as another type.
 */
export function yamlText(value: JsonValue): string {
  return dump(value, { schema, lineWidth: -1, noRefs: true, sortKeys: true, seqNoIndent: true, quoteStyle: 'double' });
}
