import {
  alwaysPrintedField,
  alwaysPrintedList,
  alwaysPrintedPointer,
  defineStruct,
  listField,
  mapField,
  markOptional,
  markRequired,
  pointerField,
  valueField,
} from './go-struct.ts';
import { labelSelectorRequirement, objectMeta } from './meta-structs.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const authorization = 'io.k8s.api.authorization.v1';
const authentication = 'io.k8s.api.authentication.v1';

const fieldSelectorRequirement = defineStruct(`${meta}.FieldSelectorRequirement`, {
  key: alwaysPrintedField(1),
  operator: alwaysPrintedField(2),
  values: listField(3),
});

const fieldSelectorAttributes = defineStruct(`${authorization}.FieldSelectorAttributes`, {
  rawSelector: valueField(1),
  requirements: listField(2, fieldSelectorRequirement),
});

const labelSelectorAttributes = defineStruct(`${authorization}.LabelSelectorAttributes`, {
  rawSelector: valueField(1),
  requirements: listField(2, labelSelectorRequirement),
});

const resourceAttributes = defineStruct(`${authorization}.ResourceAttributes`, {
  namespace: valueField(1),
  verb: valueField(2),
  group: valueField(3),
  version: valueField(4),
  resource: valueField(5),
  subresource: valueField(6),
  name: valueField(7),
  fieldSelector: pointerField(8, fieldSelectorAttributes),
  labelSelector: pointerField(9, labelSelectorAttributes),
});

const nonResourceAttributes = defineStruct(`${authorization}.NonResourceAttributes`, {
  path: valueField(1),
  verb: valueField(2),
});

const subjectAccessReviewSpec = defineStruct(`${authorization}.SubjectAccessReviewSpec`, {
  resourceAttributes: pointerField(1, resourceAttributes),
  nonResourceAttributes: pointerField(2, nonResourceAttributes),
  user: valueField(3),
  groups: listField(4),
  extra: mapField(5, 'strings'),
  uid: valueField(6),
});

const subjectAccessReviewStatus = defineStruct(`${authorization}.SubjectAccessReviewStatus`, {
  allowed: alwaysPrintedField(1, 'bool'),
  denied: valueField(4, 'bool'),
  reason: valueField(2),
  evaluationError: valueField(3),
});

export const subjectAccessReview = defineStruct(`${authorization}.SubjectAccessReview`, {
  metadata: valueField(1, objectMeta),
  spec: markRequired(valueField(2, subjectAccessReviewSpec)),
  status: valueField(3, subjectAccessReviewStatus),
});

export const localSubjectAccessReview = defineStruct(`${authorization}.LocalSubjectAccessReview`, {
  metadata: valueField(1, objectMeta),
  spec: markRequired(valueField(2, subjectAccessReviewSpec)),
  status: valueField(3, subjectAccessReviewStatus),
});

const selfSubjectAccessReviewSpec = defineStruct(`${authorization}.SelfSubjectAccessReviewSpec`, {
  resourceAttributes: pointerField(1, resourceAttributes),
  nonResourceAttributes: pointerField(2, nonResourceAttributes),
});

export const selfSubjectAccessReview = defineStruct(`${authorization}.SelfSubjectAccessReview`, {
  metadata: valueField(1, objectMeta),
  spec: markRequired(valueField(2, selfSubjectAccessReviewSpec)),
  status: valueField(3, subjectAccessReviewStatus),
});

const selfSubjectRulesReviewSpec = defineStruct(`${authorization}.SelfSubjectRulesReviewSpec`, {
  namespace: valueField(1),
});

const resourceRule = defineStruct(`${authorization}.ResourceRule`, {
  verbs: alwaysPrintedList(1),
  apiGroups: listField(2),
  resources: listField(3),
  resourceNames: listField(4),
});

const nonResourceRule = defineStruct(`${authorization}.NonResourceRule`, {
  verbs: alwaysPrintedList(1),
  nonResourceURLs: listField(2),
});

const subjectRulesReviewStatus = defineStruct(`${authorization}.SubjectRulesReviewStatus`, {
  resourceRules: alwaysPrintedList(1, resourceRule),
  nonResourceRules: alwaysPrintedList(2, nonResourceRule),
  incomplete: alwaysPrintedField(3, 'bool'),
  evaluationError: valueField(4),
});

export const selfSubjectRulesReview = defineStruct(`${authorization}.SelfSubjectRulesReview`, {
  metadata: valueField(1, objectMeta),
  spec: markRequired(valueField(2, selfSubjectRulesReviewSpec)),
  status: valueField(3, subjectRulesReviewStatus),
});

const tokenReviewSpec = defineStruct(`${authentication}.TokenReviewSpec`, {
  token: markRequired(valueField(1)),
  audiences: listField(2),
});

const userInfo = defineStruct(`${authentication}.UserInfo`, {
  username: valueField(1),
  uid: valueField(2),
  groups: listField(3),
  extra: mapField(4, 'strings'),
});

const tokenReviewStatus = defineStruct(`${authentication}.TokenReviewStatus`, {
  authenticated: valueField(1, 'bool'),
  user: valueField(2, userInfo),
  audiences: listField(4),
  error: valueField(3),
});

export const tokenReview = defineStruct(`${authentication}.TokenReview`, {
  metadata: valueField(1, objectMeta),
  spec: markRequired(valueField(2, tokenReviewSpec)),
  status: valueField(3, tokenReviewStatus),
});

const boundObjectReference = defineStruct(`${authentication}.BoundObjectReference`, {
  kind: valueField(1),
  apiVersion: valueField(2),
  name: valueField(3),
  uid: valueField(4),
});

const tokenRequestSpec = defineStruct(`${authentication}.TokenRequestSpec`, {
  audiences: markOptional(alwaysPrintedList(1)),
  expirationSeconds: markOptional(alwaysPrintedPointer(4, 'int64')),
  boundObjectRef: markOptional(alwaysPrintedPointer(3, boundObjectReference)),
});

const tokenRequestStatus = defineStruct(`${authentication}.TokenRequestStatus`, {
  token: markOptional(alwaysPrintedField(1)),
  expirationTimestamp: valueField(2, 'time'),
});

export const tokenRequest = defineStruct(`${authentication}.TokenRequest`, {
  metadata: valueField(1, objectMeta),
  spec: valueField(2, tokenRequestSpec),
  status: valueField(3, tokenRequestStatus),
});

const selfSubjectReviewStatus = defineStruct(`${authentication}.SelfSubjectReviewStatus`, {
  userInfo: valueField(1, userInfo),
});

export const selfSubjectReview = defineStruct(`${authentication}.SelfSubjectReview`, {
  metadata: valueField(1, objectMeta),
  status: valueField(2, selfSubjectReviewStatus),
});
