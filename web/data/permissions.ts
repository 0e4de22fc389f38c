import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { StatusError } from '../../src/api/status.ts';
import { type ApiRoot, managementRoot } from './api-root.ts';
import type { KindRef } from './kind-ref.ts';
import { sendJson } from './send.ts';
import { session } from './session/session.ts';

/** An action whose permission is checked for the signed-in user. */
export interface PermissionQuery {
  readonly verb: string;
  readonly kind: KindRef;
  readonly subresource?: string;
  readonly namespace?: string | undefined;
  readonly name?: string;
  /** The API server that decides about the permission. Optional; defaults to the management API. */
  readonly root?: ApiRoot;
}

export interface Permission {
  /** True if the action is permitted. False until the permission is known, so the console hides the action. */
  readonly allowed: boolean;
  readonly known: boolean;
  /** The server's reason for the decision. */
  readonly reason: string;
}

type Review = { status: { allowed?: boolean; reason?: string } };

/**
 * For each API server, the login whose access reviews the server has rejected. No further reviews are sent for that
 * login, because each rejected review adds an audit event.
 */
const rejectedLogin = new Map<ApiRoot, string>();

const unknown: Permission = { allowed: false, known: false, reason: '' };

function permissionQuery({ verb, kind, subresource, namespace, name, root = managementRoot }: PermissionQuery) {
  const resourceAttributes = {
    verb,
    group: kind.group,
    version: kind.version,
    resource: kind.plural,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
  };
  return queryOptions({
    queryKey: ['may', root, resourceAttributes],
    staleTime: 30_000,
    queryFn: async ({ signal }): Promise<Permission> => {
      // Assumes that actions in project namespaces are permitted. The scope of a key may permit an action but not
      // access reviews, and such a scope usually names projects. The server rejects the action if it is not permitted.
      const guess = { allowed: namespace !== undefined, known: true, reason: '' };
      const login = session.login() ?? '';
      if (rejectedLogin.get(root) === login) return guess;
      const url = `${root}/apis/authorization.k8s.io/v1/selfsubjectaccessreviews`;
      const document = {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes },
      };
      try {
        const { status } = await sendJson<Review>({ method: 'POST', url, document, signal });
        return { allowed: status.allowed === true, known: true, reason: status.reason ?? '' };
      } catch (error) {
        if (!(error instanceof StatusError) || error.code !== 403) throw error;
        rejectedLogin.set(root, login);
        return guess;
      }
    },
  });
}

/** Returns the decision that the API server would make about the action in the query. */
export function usePermission(check: PermissionQuery): Permission {
  return useQuery(permissionQuery(check)).data ?? unknown;
}

export function usePermissions(checks: readonly PermissionQuery[]): readonly Permission[] {
  return useQueries({ queries: checks.map(permissionQuery) }).map(({ data }) => data ?? unknown);
}
