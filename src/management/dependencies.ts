import type { Kubeconfig } from '../api/kubeconfig.ts';
import type { HostConnection } from '../hosts/kubernetes/reach/host-connection.ts';
import type { Clock } from '../lib/clock.ts';
import type { Sealer } from '../seal/sealer.ts';
import type { ActivityLog } from './activity/activity-log.ts';
import type { MailPreferences } from './notifications/mail-preferences.ts';
import type { NotificationStates } from './notifications/notification-states.ts';
import type { ManagementSettings } from './settings.ts';
import type { AttachableState } from './state.ts';
import type { WebhookSender } from './webhooks/webhook-sender.ts';

/** The dependencies of the hooks of the management kinds. */
export interface ManagementDependencies {
  readonly state: AttachableState;
  readonly settings: ManagementSettings;
  readonly clock: Clock;
  readonly sealer: Sealer;
  readonly activity: ActivityLog;
  readonly notificationStates: NotificationStates;
  readonly mailPreferences: MailPreferences;
  readonly webhookSender: WebhookSender;
  /**
   * Connects to a cluster that is being registered, to read its identity. Throws StatusError for unusable credentials.
   * `agentOf` is the cluster whose agent announced the kubeconfig. Optional; without it the identity is not read.
   */
  readonly connect?: ((kubeconfig: Kubeconfig, agentOf: string | undefined) => HostConnection) | undefined;
}
