import { alwaysPrintedField, defineStruct, listField, markRequired, pointerField, valueField } from './go-struct.ts';
import { condition, labelSelector, objectMeta } from './meta-structs.ts';

const admission = 'io.k8s.api.admissionregistration.v1';

const paramKind = defineStruct(`${admission}.ParamKind`, { apiVersion: valueField(1), kind: valueField(2) });

const rule = defineStruct(`${admission}.Rule`, {
  apiGroups: listField(1),
  apiVersions: listField(2),
  resources: listField(3),
  scope: pointerField(4),
});

const ruleWithOperations = defineStruct(`${admission}.RuleWithOperations`, {
  operations: listField(1),
  '': valueField(2, rule),
});

const namedRuleWithOperations = defineStruct(`${admission}.NamedRuleWithOperations`, {
  resourceNames: listField(1),
  '': valueField(2, ruleWithOperations),
});

const matchResources = defineStruct(`${admission}.MatchResources`, {
  namespaceSelector: pointerField(1, labelSelector),
  objectSelector: pointerField(2, labelSelector),
  resourceRules: listField(3, namedRuleWithOperations),
  excludeResourceRules: listField(4, namedRuleWithOperations),
  matchPolicy: pointerField(7),
});

const validation = defineStruct(`${admission}.Validation`, {
  expression: alwaysPrintedField(1),
  message: valueField(2),
  reason: pointerField(3),
  messageExpression: valueField(4),
});

const auditAnnotation = defineStruct(`${admission}.AuditAnnotation`, {
  key: alwaysPrintedField(1),
  valueExpression: alwaysPrintedField(2),
});

const matchCondition = defineStruct(`${admission}.MatchCondition`, {
  name: alwaysPrintedField(1),
  expression: alwaysPrintedField(2),
});

const variable = defineStruct(`${admission}.Variable`, {
  name: alwaysPrintedField(1),
  expression: alwaysPrintedField(2),
});

const validatingAdmissionPolicySpec = defineStruct(`${admission}.ValidatingAdmissionPolicySpec`, {
  paramKind: pointerField(1, paramKind),
  matchConstraints: pointerField(2, matchResources),
  validations: listField(3, validation),
  failurePolicy: pointerField(4),
  auditAnnotations: listField(5, auditAnnotation),
  matchConditions: listField(6, matchCondition),
  variables: listField(7, variable),
});

const expressionWarning = defineStruct(`${admission}.ExpressionWarning`, {
  fieldRef: alwaysPrintedField(2),
  warning: alwaysPrintedField(3),
});

const typeChecking = defineStruct(`${admission}.TypeChecking`, { expressionWarnings: listField(1, expressionWarning) });

const validatingAdmissionPolicyStatus = defineStruct(`${admission}.ValidatingAdmissionPolicyStatus`, {
  observedGeneration: valueField(1, 'int64'),
  typeChecking: pointerField(2, typeChecking),
  conditions: listField(3, condition),
});

export const validatingAdmissionPolicy = defineStruct(`${admission}.ValidatingAdmissionPolicy`, {
  metadata: valueField(1, objectMeta),
  spec: valueField(2, validatingAdmissionPolicySpec),
  status: valueField(3, validatingAdmissionPolicyStatus),
});

const paramRef = defineStruct(`${admission}.ParamRef`, {
  name: valueField(1),
  namespace: valueField(2),
  selector: pointerField(3, labelSelector),
  parameterNotFoundAction: pointerField(4),
});

const validatingAdmissionPolicyBindingSpec = defineStruct(`${admission}.ValidatingAdmissionPolicyBindingSpec`, {
  policyName: markRequired(valueField(1)),
  paramRef: pointerField(2, paramRef),
  matchResources: pointerField(3, matchResources),
  validationActions: markRequired(listField(4)),
});

export const validatingAdmissionPolicyBinding = defineStruct(`${admission}.ValidatingAdmissionPolicyBinding`, {
  metadata: valueField(1, objectMeta),
  spec: markRequired(valueField(2, validatingAdmissionPolicyBindingSpec)),
});
