import { DUMP_SCHEMA, defineScalarTag, dump, intYaml11Tag, Schema } from 'js-yaml';
import type { JsonValue } from './json-value.ts';

/** YAML 1.2 octals are strings to YAML 1.1 readers and numbers to others; taken for numbers here, they get quoted. */
const octal = /^[-+]?0o[0-7_]+$/;

/** Integers as they are, also beyond 2^53, which the library's own tag refuses. */
const exactInt = defineScalarTag<unknown>(intYaml11Tag.tagName, {
  implicit: true,
  implicitFirstChars: intYaml11Tag.implicitFirstChars,
  resolve: (source, isExplicit, tagName) =>
    octal.test(source) ? 0 : intYaml11Tag.resolve(source, isExplicit, tagName),
  identify: (value) => typeof value === 'bigint' || intYaml11Tag.identify(value),
  represent: (value) => (typeof value === 'bigint' ? value.toString() : intYaml11Tag.represent(value)),
});

const schema = new Schema(DUMP_SCHEMA.tags.map((tag) => (tag.tagName === exactInt.tagName ? exactInt : tag)));

/** YAML that readers of 1.1 and of 1.2 understand alike: whatever either takes for something else is quoted. */
export function yamlText(value: JsonValue): string {
  return dump(value, { schema, lineWidth: -1, noRefs: true, sortKeys: true, seqNoIndent: true, quoteStyle: 'double' });
}
