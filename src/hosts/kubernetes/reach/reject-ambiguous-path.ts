import { badRequest } from '../../../api/status.ts';

/**
 * Throws 400 for a path that proxies or servers could interpret differently. For example, a server that resolves `..`
 * would serve a path outside of the cluster. No request needs a segment of one or two dots, because no Kubernetes
 * object has such a name.
 */
export function rejectAmbiguousPath(path: string): void {
  const [pathname = ''] = path.split('?', 1);
  const isPlain = pathname.startsWith('/') && /^[\x21-\x7e]+$/.test(path) && !/[\\#]/.test(path);
  if (isPlain && !pathname.split('/').some((part) => /^(?:\.|%2e){1,2}$/i.test(part))) return;
  throw badRequest(
    'cannot forward the path: it contains characters or segments that must be percent-encoded or resolved first',
  );
}
