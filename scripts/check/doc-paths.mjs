import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withoutCode } from '../docs/markdown.mjs';
import { filesBelow, read, root } from './sources.mjs';

const sourceFolders = ['src', 'packages', 'web', 'test', 'scripts'];
const fileEndings = /\.(ts|tsx|mjs|md|sh|json)$/;
/** Bare names of other endings are as often files of users as files of the project. */
const bareEndings = /^[\w.-]+\.(ts|tsx|mjs)$/;

/** Back-ticked file and folder names of the docs that do not exist. */
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

/** A path may be given relative to the root, to src or to the page. Names with placeholders or wildcards are skipped. */
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
