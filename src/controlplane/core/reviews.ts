import { type JsonObject, type JsonValue, textAt } from '@flotilla/json';
import {
  authorizationGroup,
  localSubjectAccessReviewKind,
  selfSubjectAccessReviewKind,
  selfSubjectReviewKind,
  selfSubjectRulesReviewKind,
  subjectAccessReviewKind,
} from '../../api/core/reviews.ts';
import { type KubeObject, timestamp } from '../../api/meta.ts';
import type { ResourceKind } from '../../api/resource.ts';
import { badRequest } from '../../api/status.ts';
import { type UserInfo, userInfoStatus } from '../../api/user-info.ts';
import type { Attributes, Decision } from '../../auth/authz/attributes.ts';
import { type PermissionRules, restrictRules } from '../../auth/authz/restrict-rules.ts';
import { reviewAttributes } from '../../auth/authz/review-attributes.ts';
import type { Clock } from '../../lib/clock.ts';
import { toServedObject } from '../../registry/cache/served.ts';
import type { RequestContext } from '../../registry/context.ts';
import type { MountedResource } from '../../registry/mounted-resource.ts';
import { checkAccessReview, checkLocalAccessReview, reviewedUser } from './review-spec.ts';

/**
 * The subject whose permissions are reviewed. `accessKey` is set if callers review their own permissions, because the
 * access key of the caller may restrict these permissions.
 */
export interface ReviewSubject {
  readonly user: UserInfo;
  readonly system: boolean;
  readonly accessKey?: string;
}

/**
 * The permissions of a subject as RBAC rules. `evaluationError` names the permissions that RBAC rules cannot express.
 */
export type ReviewRules = PermissionRules;

export interface ReviewDependencies {
  /** Decides whether a subject has a permission. This function also authorizes every request. */
  authorize(subject: ReviewSubject, attributes: Attributes): Decision | Promise<Decision>;
  rules(subject: ReviewSubject, namespace: string): ReviewRules | Promise<ReviewRules>;
  readonly clock: Clock;
}

/** The review kinds of authorization.k8s.io and authentication.k8s.io (rules AUTHZ-01 to AUTHZ-07). */
export function kubernetesReviews(dependencies: ReviewDependencies): MountedResource[] {
  return [
    ...accessReviews(authorizationGroup, dependencies),
    reviewResource(localSubjectAccessReviewKind, async (context, review) => {
      checkLocalAccessReview(localSubjectAccessReviewKind, context.namespace, review);
      return access(dependencies, { user: reviewedUser(review), system: false }, review);
    }),
    reviewResource(selfSubjectReviewKind, (context, review) => {
      review.metadata.creationTimestamp = timestamp(dependencies.clock.now());
      return { userInfo: userInfoStatus(context.user) };
    }),
  ];
}

interface ReviewKinds {
  readonly self: ResourceKind;
  readonly subject: ResourceKind;
  readonly rules: ResourceKind;
}

/** The review kinds by API group. They are cached because building their schemas is expensive. */
const reviewKinds = new Map<string, ReviewKinds>();

function reviewKindsOf(group: string): ReviewKinds {
  const known = reviewKinds.get(group);
  if (known !== undefined) return known;
  const created: ReviewKinds = {
    self: selfSubjectAccessReviewKind(group),
    subject: subjectAccessReviewKind(group),
    rules: selfSubjectRulesReviewKind(group),
  };
  reviewKinds.set(group, created);
  return created;
}

/** The kinds SelfSubjectAccessReview, SubjectAccessReview and SelfSubjectRulesReview, in the given API group. */
export function accessReviews(group: string, dependencies: ReviewDependencies): MountedResource[] {
  const { self, subject, rules } = reviewKindsOf(group);
  return [
    reviewResource(self, async (context, review) => {
      checkAccessReview(self, review, { namesUser: false });
      const decision = await context.credentialAllows?.(reviewAttributes(review as JsonValue));
      if (decision?.allowed === false) return decisionStatus(decision);
      return await access(dependencies, callerOf(context), review);
    }),
    reviewResource(subject, (_context, review) => {
      checkAccessReview(subject, review, { namesUser: true });
      return access(dependencies, { user: reviewedUser(review), system: false }, review);
    }),
    reviewResource(rules, async (context, review) => {
      const namespace = textAt(review as JsonValue, 'spec', 'namespace');
      if (namespace === '') throw badRequest('no namespace on request');
      const rules = await dependencies.rules(callerOf(context), namespace);
      const { credentialAllows } = context;
      const restricted =
        credentialAllows === undefined ? rules : await restrictRules(rules, namespace, credentialAllows);
      return { ...restricted } as unknown as JsonObject;
    }),
  ];
}

type ReviewHandler = (context: RequestContext, review: KubeObject) => JsonObject | Promise<JsonObject>;

/** Serves a kind that is never stored. The response to a create is the sent object with a computed status. */
export function reviewResource(kind: ResourceKind, handle: ReviewHandler): MountedResource {
  return {
    kind,
    verbs: {
      async create(context, sent) {
        const review: KubeObject = { ...sent, metadata: { ...sent.metadata } };
        const status = await handle(context, review);
        const { kind: name, apiVersion, metadata, status: _dropped, ...rest } = review;
        return toServedObject(kind, { kind: name, apiVersion, metadata, ...rest, status } as KubeObject);
      },
    },
    subresources: {},
  };
}

async function access(
  dependencies: ReviewDependencies,
  subject: ReviewSubject,
  review: KubeObject,
): Promise<JsonObject> {
  return decisionStatus(await dependencies.authorize(subject, reviewAttributes(review as JsonValue)));
}

function decisionStatus({ allowed, reason }: Decision): JsonObject {
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function callerOf({ user, system, accessKey }: RequestContext): ReviewSubject {
  return { user, system, ...(accessKey === undefined ? {} : { accessKey }) };
}
