import { badRequest } from '../../../api/status.ts';

/**
 * Rejects a path that a server on the way might interpret differently: with `..`, one outside the cluster's own paths.
 * No name in Kubernetes consists of one or two dots.
 */
export function checkPath(path: string): void {
  const [place = ''] = path.split('?', 1);
  const isPlain = place.startsWith('/') && /^[\x21-\x7e]+$/.test(path) && !/[\\#]/.test(path);
  if (isPlain && !place.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return;
  throw badRequest(
    'cannot forward the path: it contains characters or segments that must be percent-encoded or resolved first',
  );
}
