import type { accessKeyKind } from '../api/management/v1/access-key.ts';
import type { clusterKind } from '../api/management/v1/cluster.ts';
import type { projectWebhookKind } from '../api/management/v1/notifications/project-webhook.ts';
import type { projectKind } from '../api/management/v1/project.ts';
import type { userKind } from '../api/management/v1/user.ts';
import type { virtualClusterInstanceKind } from '../api/management/v1/virtual-cluster-instance.ts';
import type { virtualClusterTemplateKind } from '../api/management/v1/virtual-cluster-template.ts';
import type { FieldsOf } from '../api/resource.ts';
import type { Draft } from '../registry/resource.ts';
import type { AccessKeyHidden } from './access-keys/access-key-hidden.ts';
import type { UserHidden } from './identities/user-hidden.ts';
import type { ClusterHidden } from './resources/cluster-hidden.ts';
import type { WebhookHidden } from './webhooks/webhook-hidden.ts';

/** The drafts that hooks of the management kinds receive. Types are checked, but required members can be missing. */
export type AccessKeyDraft = Draft<FieldsOf<typeof accessKeyKind>, AccessKeyHidden>;
export type ClusterDraft = Draft<FieldsOf<typeof clusterKind>, ClusterHidden>;
export type InstanceDraft = Draft<FieldsOf<typeof virtualClusterInstanceKind>>;
export type ProjectDraft = Draft<FieldsOf<typeof projectKind>>;
export type ProjectWebhookDraft = Draft<FieldsOf<typeof projectWebhookKind>, WebhookHidden>;
export type TemplateDraft = Draft<FieldsOf<typeof virtualClusterTemplateKind>>;
export type UserDraft = Draft<FieldsOf<typeof userKind>, UserHidden>;
