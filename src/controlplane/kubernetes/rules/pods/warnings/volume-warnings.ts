import { goQuote } from '@flotilla/go-text';
import type { JsonObject } from '@flotilla/json';
import { childPath } from '../../../../../api/schema/field-path.ts';
import { itemsAt, objectAt, textOf } from '../../checks.ts';
import { isSet, structAt } from '../pod-context.ts';
import { fractionWarnings } from './fraction-warnings.ts';

/** The sources of volumes that are deprecated, in the order of Kubernetes' checks. */
const deprecatedSources: readonly (readonly [name: string, warning: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', ''],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** Warns about deprecated volumes, and about volumes in which files overlap. */
export function* volumeWarnings(spec: JsonObject, path: string): Generator<string> {
  const volumes = itemsAt(spec, 'volumes', path);
  for (const [volume, at] of volumes) {
    for (const [name, warning] of deprecatedSources) {
      if (!isSet(volume[name])) continue;
      if (name === 'ephemeral') yield* claimWarnings(volume, at);
      else yield `${childPath(at, name === 'storageos' ? 'storageOS' : name)}: ${warning}`;
    }
  }
  for (const [volume] of volumes) yield* overlapWarnings(volume);
}

function* claimWarnings(volume: JsonObject, path: string): Generator<string> {
  const claim = objectAt(objectAt(objectAt(volume, 'ephemeral'), 'volumeClaimTemplate'), 'spec');
  const at = `${path}.ephemeral.volumeClaimTemplate.spec.resources`;
  for (const list of ['requests', 'limits']) {
    yield* fractionWarnings(objectAt(objectAt(claim, 'resources'), list), childPath(at, list), ['storage']);
  }
}

/** The path of a file in a volume, and the source of the file. */
interface File {
  readonly path: string;
  readonly source: string;
}

function filesIn(source: JsonObject | undefined, name: string): File[] {
  return itemsAt(source ?? {}, 'items', '').map(([item]) => ({ path: textOf(item.path), source: name }));
}

const named = (kind: string, name: unknown) => `${kind} ${goQuote(typeof name === 'string' ? name : '')}`;

function* overlapWarnings(volume: JsonObject): Generator<string> {
  const name = textOf(volume.name);
  const warning = (what: string, text: string) => `volume ${goQuote(name)} (${what}): overlapping paths: ${text}`;
  const [configMap, secret] = [objectAt(volume, 'configMap'), objectAt(volume, 'secret')];
  const lists: readonly (readonly [what: string, files: readonly File[]])[] = [
    [named('ConfigMap', configMap.name), filesIn(configMap, '')],
    [named('Secret', secret.secretName), filesIn(secret, '')],
    ['DownwardAPI', filesIn(structAt(volume, 'downwardAPI'), '')],
  ];
  for (const [what, files] of lists) for (const text of overlapsIn(files)) yield warning(what, text);
  const sources = itemsAt(objectAt(volume, 'projected'), 'sources', '').map(([source]) => source);
  for (const source of sources) {
    const isEmpty = !Object.values(source).some(isSet);
    if (isEmpty) yield `volume ${goQuote(name)} (Projected) has no sources provided`;
  }
  for (const text of overlapsIn(sources.flatMap(projectedFiles))) yield warning('Projected', text);
}

function projectedFiles(source: JsonObject): File[] {
  const member = (name: string) => structAt(source, name);
  const [configMap, secret, token] = [member('configMap'), member('secret'), member('serviceAccountToken')];
  if (isSet(configMap?.items)) return filesIn(configMap, named('ConfigMap', configMap?.name));
  if (isSet(secret?.items)) return filesIn(secret, named('Secret', secret?.name));
  if (isSet(member('downwardAPI')?.items)) return filesIn(member('downwardAPI'), 'DownwardAPI');
  return token === undefined ? [] : [{ path: textOf(token.path), source: 'ServiceAccountToken' }];
}

/** A directory or file in a volume. */
class PathNode {
  readonly children = new Map<string, PathNode>();
  /** The indexes of the files with this path, in the list of files. */
  readonly here: number[] = [];
  /** The indexes of the files at this path or below it, in the list of files. */
  readonly below: number[] = [];
}

/**
 * The maximum number of path parts that are compared, because each part takes memory. Files beyond this limit are
 * skipped.
 */
const maxParts = 100_000;

/** Returns a text for each pair of files whose paths are equal, or of which one path is inside the other. */
function* overlapsIn(files: readonly File[]): Generator<string> {
  const root = new PathNode();
  let left = maxParts;
  const shortened = files.map(({ path, source }) => ({ path: withoutTrailingSlashes(path), source }));
  for (const [position, file] of shortened.entries()) {
    if (file.path === '') continue;
    const parts = file.path.split('/');
    left -= parts.length;
    if (left < 0) return;
    for (const other of addFile(root, parts, position)) {
      const earlier = shortened[other];
      if (earlier !== undefined) yield `${printed(file)} with ${printed(earlier)}`;
    }
  }
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Adds the file with the index `position`, and returns the indexes of the earlier files that overlap it. */
function addFile(root: PathNode, parts: readonly string[], position: number): number[] {
  const found: number[] = [];
  let node = root;
  for (const part of parts) {
    for (const earlier of node.here) found.push(earlier);
    const next = node.children.get(part) ?? new PathNode();
    node.children.set(part, next);
    node = next;
    node.below.push(position);
  }
  for (const earlier of node.below.slice(0, -1)) found.push(earlier);
  node.here.push(position);
  return found.toSorted((a, b) => a - b);
}

function printed({ path, source }: File): string {
  return source === '' ? goQuote(path) : `${goQuote(path)} (${source})`;
}
