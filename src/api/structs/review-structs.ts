import {
  alwaysPrinted,
  alwaysPrintedList,
  alwaysPrintedPointer,
  list,
  map,
  markOptional,
  markRequired,
  pointer,
  struct,
  value,
} from './go-struct.ts';
import { labelSelectorRequirement, objectMeta } from './meta-structs.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const authorization = 'io.k8s.api.authorization.v1';
const authentication = 'io.k8s.api.authentication.v1';

const fieldSelectorRequirement = struct(`${meta}.FieldSelectorRequirement`, {
  key: alwaysPrinted(1),
  operator: alwaysPrinted(2),
  values: list(3),
});

const fieldSelectorAttributes = struct(`${authorization}.FieldSelectorAttributes`, {
  rawSelector: value(1),
  requirements: list(2, fieldSelectorRequirement),
});

const labelSelectorAttributes = struct(`${authorization}.LabelSelectorAttributes`, {
  rawSelector: value(1),
  requirements: list(2, labelSelectorRequirement),
});

const resourceAttributes = struct(`${authorization}.ResourceAttributes`, {
  namespace: value(1),
  verb: value(2),
  group: value(3),
  version: value(4),
  resource: value(5),
  subresource: value(6),
  name: value(7),
  fieldSelector: pointer(8, fieldSelectorAttributes),
  labelSelector: pointer(9, labelSelectorAttributes),
});

const nonResourceAttributes = struct(`${authorization}.NonResourceAttributes`, { path: value(1), verb: value(2) });

const subjectAccessReviewSpec = struct(`${authorization}.SubjectAccessReviewSpec`, {
  resourceAttributes: pointer(1, resourceAttributes),
  nonResourceAttributes: pointer(2, nonResourceAttributes),
  user: value(3),
  groups: list(4),
  extra: map(5, 'strings'),
  uid: value(6),
});

const subjectAccessReviewStatus = struct(`${authorization}.SubjectAccessReviewStatus`, {
  allowed: alwaysPrinted(1, 'bool'),
  denied: value(4, 'bool'),
  reason: value(2),
  evaluationError: value(3),
});

export const subjectAccessReview = struct(`${authorization}.SubjectAccessReview`, {
  metadata: value(1, objectMeta),
  spec: markRequired(value(2, subjectAccessReviewSpec)),
  status: value(3, subjectAccessReviewStatus),
});

export const localSubjectAccessReview = struct(`${authorization}.LocalSubjectAccessReview`, {
  metadata: value(1, objectMeta),
  spec: markRequired(value(2, subjectAccessReviewSpec)),
  status: value(3, subjectAccessReviewStatus),
});

const selfSubjectAccessReviewSpec = struct(`${authorization}.SelfSubjectAccessReviewSpec`, {
  resourceAttributes: pointer(1, resourceAttributes),
  nonResourceAttributes: pointer(2, nonResourceAttributes),
});

export const selfSubjectAccessReview = struct(`${authorization}.SelfSubjectAccessReview`, {
  metadata: value(1, objectMeta),
  spec: markRequired(value(2, selfSubjectAccessReviewSpec)),
  status: value(3, subjectAccessReviewStatus),
});

const selfSubjectRulesReviewSpec = struct(`${authorization}.SelfSubjectRulesReviewSpec`, { namespace: value(1) });

const resourceRule = struct(`${authorization}.ResourceRule`, {
  verbs: alwaysPrintedList(1),
  apiGroups: list(2),
  resources: list(3),
  resourceNames: list(4),
});

const nonResourceRule = struct(`${authorization}.NonResourceRule`, {
  verbs: alwaysPrintedList(1),
  nonResourceURLs: list(2),
});

const subjectRulesReviewStatus = struct(`${authorization}.SubjectRulesReviewStatus`, {
  resourceRules: alwaysPrintedList(1, resourceRule),
  nonResourceRules: alwaysPrintedList(2, nonResourceRule),
  incomplete: alwaysPrinted(3, 'bool'),
  evaluationError: value(4),
});

export const selfSubjectRulesReview = struct(`${authorization}.SelfSubjectRulesReview`, {
  metadata: value(1, objectMeta),
  spec: markRequired(value(2, selfSubjectRulesReviewSpec)),
  status: value(3, subjectRulesReviewStatus),
});

const tokenReviewSpec = struct(`${authentication}.TokenReviewSpec`, {
  token: markRequired(value(1)),
  audiences: list(2),
});

const userInfo = struct(`${authentication}.UserInfo`, {
  username: value(1),
  uid: value(2),
  groups: list(3),
  extra: map(4, 'strings'),
});

const tokenReviewStatus = struct(`${authentication}.TokenReviewStatus`, {
  authenticated: value(1, 'bool'),
  user: value(2, userInfo),
  audiences: list(4),
  error: value(3),
});

export const tokenReview = struct(`${authentication}.TokenReview`, {
  metadata: value(1, objectMeta),
  spec: markRequired(value(2, tokenReviewSpec)),
  status: value(3, tokenReviewStatus),
});

const boundObjectReference = struct(`${authentication}.BoundObjectReference`, {
  kind: value(1),
  apiVersion: value(2),
  name: value(3),
  uid: value(4),
});

const tokenRequestSpec = struct(`${authentication}.TokenRequestSpec`, {
  audiences: markOptional(alwaysPrintedList(1)),
  expirationSeconds: markOptional(alwaysPrintedPointer(4, 'int64')),
  boundObjectRef: markOptional(alwaysPrintedPointer(3, boundObjectReference)),
});

const tokenRequestStatus = struct(`${authentication}.TokenRequestStatus`, {
  token: markOptional(alwaysPrinted(1)),
  expirationTimestamp: value(2, 'time'),
});

export const tokenRequest = struct(`${authentication}.TokenRequest`, {
  metadata: value(1, objectMeta),
  spec: value(2, tokenRequestSpec),
  status: value(3, tokenRequestStatus),
});

const selfSubjectReviewStatus = struct(`${authentication}.SelfSubjectReviewStatus`, { userInfo: value(1, userInfo) });

export const selfSubjectReview = struct(`${authentication}.SelfSubjectReview`, {
  metadata: value(1, objectMeta),
  status: value(2, selfSubjectReviewStatus),
});
