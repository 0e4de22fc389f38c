import { useQuery } from '@tanstack/react-query';
import type { ProjectWebhook } from '../../src/api/management/v1/notifications/project-webhook.ts';
import { projectNamespace } from '../../src/api/naming.ts';
import { managementRoot } from './api-root.ts';
import { collectionUrl, kinds } from './kind-ref.ts';
import { sendJson } from './send.ts';

const refreshMs = 5_000;

/** Returns the webhooks of a project, sorted by name. They are few, and loaded again every five seconds. */
export function useWebhooks(project: string) {
  const namespace = projectNamespace(project);
  return useQuery({
    queryKey: ['webhooks', project],
    queryFn: async ({ signal }): Promise<readonly ProjectWebhook[]> => {
      const url = collectionUrl(managementRoot, kinds.webhook, namespace);
      const { items } = await sendJson<{ items: readonly ProjectWebhook[] | null }>({ url, signal });
      return items ?? [];
    },
    refetchInterval: refreshMs,
  });
}
