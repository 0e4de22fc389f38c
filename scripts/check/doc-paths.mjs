import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withoutCode } from '../docs/markdown.mjs';
import { filesBelow, read, root } from './sources.mjs';

const sourceFolders = ['src', 'packages', 'web', 'test', 'scripts'];
const fileEndings = /\.(ts|tsx|mjs|md|sh|json)$/;
/** Matches bare file names that must exist in the project. Bare names with other endings are often files of users. */
const bareEndings = /^[\w.-]+\.(ts|tsx|mjs)$/;

/** Returns the file and folder names in backticks in the docs that do not exist. */
export function checkDocPaths(pages) {
  const files = projectFiles();
  return pages.flatMap((page) => missingPaths(page, read(page), files));
}

export function projectFiles() {
  const folders = sourceFolders.filter((folder) => existsSync(join(root, folder)));
  return {
    exists: (path) => existsSync(join(root, path)),
    names: new Set(
      folders.flatMap((folder) => filesBelow(folder, '.ts', '.tsx', '.mjs')).map((path) => basename(path)),
    ),
    sourceFolders: readdirSync(join(root, 'src')),
  };
}

/**
 * Returns the paths in a page that do not exist. A path can be relative to the root, to src or to the page. Names with
 * placeholders or wildcards are skipped.
 */
export function missingPaths(page, text, files) {
  const problems = [];
  const prose = withoutCode(text);
  for (const { 1: span, index } of prose.matchAll(/`([^`]+)`/g)) {
    const name = span.replace(/:\d+$/, '');
    if (!/^[\w.][\w./-]*$/.test(name)) continue;
    const missing = name.includes('/') ? isMissingPath(page, name, files) : isMissingName(name, files);
    const line = prose.slice(0, index).split('\n').length;
    if (missing) problems.push(`${page}:${line}: the file ${name} does not exist`);
  }
  return problems;
}

function isMissingPath(page, name, { exists, sourceFolders: folders }) {
  const first = name.split('/')[0];
  const looksLikeSource =
    fileEndings.test(name) || sourceFolders.includes(first) || (name.endsWith('/') && folders.includes(first));
  if (!looksLikeSource) return false;
  return !['.', 'src', dirname(page)].some((folder) => exists(join(folder, name)));
}

function isMissingName(name, { names }) {
  return bareEndings.test(name) && !names.has(name);
}
