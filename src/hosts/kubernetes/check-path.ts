import { badRequest } from '../../api/status.ts';

/**
 * Refuses what some server on the way might take for another path than it is: with `..`, one that lies beside the
 * cluster's own. No name in Kubernetes is a dot or two.
 */
export function checkPath(path: string): void {
  const [place = ''] = path.split('?', 1);
  const isPlain = place.startsWith('/') && /^[\x21-\x7e]+$/.test(path) && !/[\\#]/.test(path);
  if (isPlain && !place.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return;
  throw badRequest('the path cannot be passed on: it has characters or parts that stand for others');
}
