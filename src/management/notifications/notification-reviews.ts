import { forbiddenField } from '../../api/field-error.ts';
import {
  maxNotifications,
  type NotificationItem,
  type NotificationReview,
  type NotificationReviewStatus,
  notificationReviewKind,
} from '../../api/management/v1/notifications/notification-review.ts';
import { timestamp } from '../../api/meta.ts';
import { typedObject } from '../../api/resource.ts';
import { validateSchema } from '../../api/schema/validate.ts';
import { invalidObject } from '../../api/status.ts';
import { type Caller, callerOf } from '../../auth/authz/caller.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { withStatusErrors } from '../../registry/store-status.ts';
import type { ManagementDependencies } from '../dependencies.ts';
import { computedObject } from '../subresources/computed-object.ts';
import { findNotifications } from './find-notifications.ts';
import { mailAddressOf } from './mail-address-of.ts';
import type { Notification } from './notification.ts';
import type { NotificationState } from './notification-states.ts';

type Options = Pick<ManagementDependencies, 'state' | 'settings' | 'clock' | 'notificationStates' | 'mailPreferences'>;

const kind = notificationReviewKind;

/**
 * POST `notificationreviews`: computes the notifications of the caller. Only which notifications a user has read or
 * dismissed is stored.
 */
export function notificationReviews(options: Options): MountedResource {
  return {
    kind,
    verbs: {
      async create(context, sent, { dryRun }) {
        const errors = validateSchema(kind.schema, sent, '');
        const { spec } = typedObject(kind, sent);
        if ((spec?.dismiss?.length ?? 0) > maxNotifications) {
          errors.push(forbiddenField('spec.dismiss', `may have at most ${maxNotifications} entries`));
        }
        if (spec?.receiveMails !== undefined && isScoped(context, options)) {
          errors.push(forbiddenField('spec.receiveMails', 'may not be set with an access key that has a scope'));
        }
        if (errors.length > 0) throw invalidObject(kind, sent.metadata.name ?? '', errors);
        await options.state.caughtUp();
        const status = await withStatusErrors(review(context, spec ?? {}, options, dryRun));
        return computedObject(kind, sent.metadata, { ...(spec === undefined ? {} : { spec }), status });
      },
    },
    subresources: {},
  };
}

async function review(
  context: RequestContext,
  spec: NonNullable<NotificationReview['spec']>,
  options: Options,
  dryRun: boolean,
): Promise<NotificationReviewStatus> {
  const { state, clock, notificationStates } = options;
  const caller = callerOf(context.user);
  const { nextTimeSlice } = context;
  const found = await findNotifications({ caller, state, now: clock.now(), nextTimeSlice });
  const counted = found.slice(0, maxCounted);
  const notifications = await readable(counted, context);
  const old: NotificationState =
    caller.user === undefined ? { read: [], dismissed: [] } : await notificationStates.get(caller.user);
  const next = changed(old, spec, { all: counted, readable: notifications });
  if (caller.user !== undefined && !dryRun && !isEqualState(old, next)) await notificationStates.set(caller.user, next);
  const dismissed = new Set(next.dismissed);
  const read = new Set(next.read);
  const shown = notifications.filter(({ id }) => !dismissed.has(id));
  return {
    unread: shown.filter(({ id }) => !read.has(id)).length,
    total: shown.length,
    items: shown.slice(0, maxNotifications).map((notification) => itemOf(notification, read.has(notification.id))),
    ...(await mailsOf(caller, spec.receiveMails, options, dryRun)),
  };
}

function isScoped({ accessKey }: RequestContext, { state }: Pick<Options, 'state'>): boolean {
  const scope = accessKey === undefined ? undefined : state.accessKey(accessKey)?.spec?.scope;
  return scope !== undefined && scope !== null;
}

/** Changes whether the caller receives mails, if the request asks for it, and returns the current setting. */
async function mailsOf(
  caller: Caller,
  receive: boolean | undefined,
  { state, settings, mailPreferences }: Options,
  dryRun: boolean,
): Promise<Pick<NotificationReviewStatus, 'mails'>> {
  const user = caller.user === undefined ? undefined : state.user(caller.user);
  const uid = user?.metadata.uid;
  if (settings.mail === undefined || user === undefined || uid === undefined) return {};
  const wasOff = await mailPreferences.isOff(uid);
  const isOff = receive === undefined ? wasOff : !receive;
  if (isOff !== wasOff && !dryRun) await mailPreferences.setOff(uid, isOff);
  const address = mailAddressOf(user, settings.mail.trustedDomains);
  return { mails: { receive: !isOff, ...(address === undefined ? {} : { address }) } };
}

/**
 * The maximum number of notifications that are counted for a response. Checking the permissions for more notifications
 * would take too long.
 */
const maxCounted = 1_000;

/** Removes the notifications about objects that the caller's credential may not read. */
async function readable(notifications: readonly Notification[], context: RequestContext): Promise<Notification[]> {
  const found: Notification[] = [];
  for (const notification of notifications) {
    if (await context.may(notification.readPermission)) found.push(notification);
  }
  return found;
}

interface CountedNotifications {
  readonly all: readonly Notification[];
  /**
   * The notifications about objects that the caller's credential may read. All other notifications keep their state.
   */
  readonly readable: readonly Notification[];
}

/** Returns the changed state. It contains only IDs of current notifications, so its size is limited. */
function changed(
  old: NotificationState,
  { markRead = false, dismiss = [] }: NonNullable<NotificationReview['spec']>,
  { all, readable }: CountedNotifications,
): NotificationState {
  const changeable = new Set(readable.map(({ id }) => id));
  const read = new Set([...old.read, ...(markRead ? changeable : [])]);
  const dismissed = new Set([...old.dismissed, ...dismiss.filter((id) => changeable.has(id))]);
  const current = all.map(({ id }) => id);
  return { read: current.filter((id) => read.has(id)), dismissed: current.filter((id) => dismissed.has(id)) };
}

function isEqualState(one: NotificationState, other: NotificationState): boolean {
  return one.read.join('\n') === other.read.join('\n') && one.dismissed.join('\n') === other.dismissed.join('\n');
}

function itemOf(notification: Notification, isRead: boolean): NotificationItem {
  const { id, reason, message, since, involvedObject, isWarning } = notification;
  const type = isWarning ? 'Warning' : 'Normal';
  const time = since === undefined ? {} : { since: timestamp(since) };
  return { id, reason, type, message, isRead, ...time, involvedObject };
}
