import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';

/**
 * Returns the entries of a Go program for the list of components: the program, its modules, and Go's standard library.
 */
export async function goComponents(program) {
  // For a large program, the list of modules is longer than the default limit.
  const { stdout } = await promisify(execFile)('go', ['version', '-m', program], { maxBuffer: 16 * 1024 * 1024 });
  return componentsOf(basename(program), stdout);
}

/**
 * Returns the components in the output of `go version -m`. The output contains a line for each module, such as `dep
 * MODULE VERSION CHECKSUM`. If a module is replaced, the next line describes the replacement and starts with `=>`.
 */
export function componentsOf(program, output) {
  const [first = '', ...lines] = output.split('\n').map((line) => line.trim().split(/\s+/));
  const components = [component('library', 'stdlib', (first[1] ?? '').replace(/^go/, ''))];
  for (const [kind, module, version] of lines) {
    if (kind === 'mod') components.push({ ...component('application', module, version), name: program });
    else if (kind === '=>') components.splice(-1, 1, component('library', module, version));
    else if (kind === 'dep') components.push(component('library', module, version));
  }
  return components;
}

function component(type, module, version) {
  const path = module.split('/').map(encodeURIComponent).join('/');
  return { type, name: module, version, purl: `pkg:golang/${path}@${encodeURIComponent(version)}` };
}
