import { admissionGroup } from '../../api/admissionregistration/match-resources.ts';
import { resourceKey } from '../../registry/rows/rows.ts';
import type { PartDependencies, PlanePart } from '../plane-part.ts';
import type { AccessAuthorizer } from '../policies/policy-input.ts';
import { refuseBeyondLimit } from '../policies/policy-limit.ts';
import { AdmissionWebhooks } from './admission-webhooks.ts';
import { WebhookClient, type WebhookClientOptions } from './webhook-client.ts';

export interface WebhooksPartOptions extends Pick<PartDependencies, 'plane'>, AccessAuthorizer {
  readonly webhooks: WebhookClientOptions;
}

/** The plane part that calls admission webhooks. The webhook configurations are kinds of the full set. */
export function webhooksPart({ plane, webhooks, authorize }: WebhooksPartOptions): PlanePart {
  const storeOf = (plural: string) => plane().kinds.get(resourceKey({ group: admissionGroup, plural }));
  const stores = {
    validating: () => storeOf('validatingwebhookconfigurations'),
    mutating: () => storeOf('mutatingwebhookconfigurations'),
  };
  const calls = new AdmissionWebhooks({ ...stores, plane, authorize, client: new WebhookClient(webhooks) });
  return {
    resources: [],
    mount: () => [],
    isMutating: () => calls.isMutating,
    mutate: (mutation) => calls.mutate(mutation),
    admit(write) {
      if (write.resource.group === admissionGroup) {
        for (const store of [stores.validating(), stores.mutating()]) {
          if (store !== undefined) refuseBeyondLimit(write, store);
        }
      }
      return calls.admit(write);
    },
    async start() {
      return () => calls.stop();
    },
  };
}
