import { queryOptions, useQueries, useQuery } from '@tanstack/react-query';
import { StatusError } from '../../src/api/status.ts';
import { type ApiRoot, managementRoot } from './api-root.ts';
import type { KindRef } from './kind-ref.ts';
import { sendJson } from './send.ts';
import { session } from './session.ts';

/** A question to the server: may whoever is signed in do this? */
export interface Question {
  readonly verb: string;
  readonly kind: KindRef;
  readonly subresource?: string;
  readonly namespace?: string | undefined;
  readonly name?: string;
  /** Which API server decides; absent: the management API. */
  readonly root?: ApiRoot;
}

export interface Permission {
  /** False while it is not known: what one may not do is not offered. */
  readonly allowed: boolean;
  readonly known: boolean;
  /** The server's own reason. */
  readonly reason: string;
}

type Review = { status: { allowed?: boolean; reason?: string } };

/** For which login an API server does not answer such questions: each would be one more refusal in the audit log. */
const refusedFor = new Map<ApiRoot, string>();

const unknown: Permission = { allowed: false, known: false, reason: '' };

function askMay({ verb, kind, subresource, namespace, name, root = managementRoot }: Question) {
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
      // A narrow key may do something without being let ask what. Such keys are for what is in projects: there it can
      // be tried, and the server says no itself where it does not like it.
      const guess = { allowed: namespace !== undefined, known: true, reason: '' };
      const login = session.login() ?? '';
      if (refusedFor.get(root) === login) return guess;
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
        refusedFor.set(root, login);
        return guess;
      }
    },
  });
}

/** The same answer that the API gives when it is tried. */
export function useMay(question: Question): Permission {
  return useQuery(askMay(question)).data ?? unknown;
}

export function useMayEach(questions: readonly Question[]): readonly Permission[] {
  return useQueries({ queries: questions.map(askMay) }).map(({ data }) => data ?? unknown);
}
