import { denialMessage } from '../api/denial-message.ts';
import { forbidden } from '../api/status.ts';
import type { CredentialCheck } from '../auth/authz/restrict-rules.ts';
import type { Exchange } from '../http/exchange.ts';
import { attributesOf } from '../http/filters/authorize.ts';

const interactiveSubresources = new Set(['exec', 'attach', 'portforward']);

/**
 * Checks permissions that a request needs in addition to its own verb: `create` for an update or apply that creates the
 * object, and `create` for a GET that opens a shell over a WebSocket. The remote cluster checks the permissions of the
 * user, but does not know the scope of the user's credential. Calls `objectExists` only if the result depends on it.
 * Throws 403.
 */
export async function checkImpliedPermissions(
  { info, request, identity }: Exchange,
  passes: CredentialCheck,
  objectExists: () => Promise<boolean>,
): Promise<void> {
  const attributes = attributesOf(info);
  if (!attributes.resourceRequest) return;
  const isApply = info.verb === 'patch' && /^application\/apply-patch\+/i.test(request.headers['content-type'] ?? '');
  const mayCreate = info.subresource === '' && (isApply || info.verb === 'update');
  const opensSession =
    info.verb === 'get' && request.upgrade !== undefined && interactiveSubresources.has(info.subresource);
  if (!mayCreate && !opensSession) return;
  const createAttributes = { ...attributes, verb: 'create' };
  const decision = await passes(createAttributes);
  if (decision.allowed || (mayCreate && (await objectExists()))) return;
  const { group, resource, name } = attributes;
  throw forbidden(
    { group, resource },
    name,
    denialMessage(identity?.user.name ?? '', createAttributes, decision.reason),
  );
}
