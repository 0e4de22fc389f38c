import { forbidden } from '../api/status.ts';
import type { Passes } from '../auth/authz/narrowed-rules.ts';
import type { Exchange } from '../http/exchange.ts';
import { attributesOf, denial } from '../http/filters/authorize.ts';

const opening = new Set(['exec', 'attach', 'portforward']);

/**
 * What a request does besides what it is called, which a cluster elsewhere asks its caller's rights for, and nobody the
 * caller's credential: who puts or applies what is not there creates it, and who opens a shell by a GET, as WebSockets do,
 * does more than read. `isThere` is asked where it matters. Throws 403.
 */
export async function checkDoneBesides(
  { info, request, identity }: Exchange,
  passes: Passes,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const asked = attributesOf(info);
  if (!asked.resourceRequest) return;
  const isApply = info.verb === 'patch' && /^application\/apply-patch\+/i.test(request.headers['content-type'] ?? '');
  const mayCreate = info.subresource === '' && (isApply || info.verb === 'update');
  const opens = info.verb === 'get' && request.upgrade !== undefined && opening.has(info.subresource);
  if (!mayCreate && !opens) return;
  const creation = { ...asked, verb: 'create' };
  const passed = await passes(creation);
  if (passed.allowed || (mayCreate && (await isThere()))) return;
  const { group, resource, name } = asked;
  throw forbidden({ group, resource }, name, denial(identity?.user.name ?? '', creation, passed.reason));
}
