import { load } from 'js-yaml';
import { read } from '../check/sources.mjs';
import { code, page, table } from './markdown.mjs';

const heading = '## Values';

/**
 * Returns the README of a chart, with a table of its values. The comments in values.yaml are the descriptions of the
 * values.
 */
export function chartPage(chart) {
  const [introduction] = read(`charts/${chart}/README.md`).split(heading);
  const text = read(`charts/${chart}/values.yaml`);
  const values = load(text);
  const rows = describedValues(text).map(({ path, meaning }) => [
    code(path.join('.')),
    code(JSON.stringify(path.reduce((value, key) => value[key], values))),
    meaning,
  ]);
  return page(introduction.trimEnd(), heading, table(['value', 'default', 'meaning'], rows));
}

/**
 * Returns the keys of a values file that have a comment, in order. All keys below a commented key are part of its
 * value.
 */
export function describedValues(text) {
  const found = [];
  let path = [];
  let comment = [];
  let describedDepth = Number.POSITIVE_INFINITY;
  for (const line of text.split('\n')) {
    const [, indentation = '', mark, key] = /^( *)(?:(#) ?|([\w-]+):)/.exec(line) ?? [];
    const depth = indentation.length / 2;
    if (line.trim() === '') comment = [];
    if (depth > describedDepth || (mark === undefined && key === undefined)) continue;
    if (mark !== undefined) {
      comment.push(line.trim().slice(2));
      continue;
    }
    describedDepth = Number.POSITIVE_INFINITY;
    path = [...path.slice(0, depth), key];
    if (comment.length > 0) {
      found.push({ path, meaning: comment.join(' ') });
      describedDepth = depth;
    }
    comment = [];
  }
  return found;
}
