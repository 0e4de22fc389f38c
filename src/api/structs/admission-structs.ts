import { alwaysPrinted, list, markRequired, pointer, struct, value } from './go-struct.ts';
import { condition, labelSelector, objectMeta } from './meta-structs.ts';

const admission = 'io.k8s.api.admissionregistration.v1';

const paramKind = struct(`${admission}.ParamKind`, { apiVersion: value(1), kind: value(2) });

const rule = struct(`${admission}.Rule`, {
  apiGroups: list(1),
  apiVersions: list(2),
  resources: list(3),
  scope: pointer(4),
});

const ruleWithOperations = struct(`${admission}.RuleWithOperations`, { operations: list(1), '': value(2, rule) });

const namedRuleWithOperations = struct(`${admission}.NamedRuleWithOperations`, {
  resourceNames: list(1),
  '': value(2, ruleWithOperations),
});

const matchResources = struct(`${admission}.MatchResources`, {
  namespaceSelector: pointer(1, labelSelector),
  objectSelector: pointer(2, labelSelector),
  resourceRules: list(3, namedRuleWithOperations),
  excludeResourceRules: list(4, namedRuleWithOperations),
  matchPolicy: pointer(7),
});

const validation = struct(`${admission}.Validation`, {
  expression: alwaysPrinted(1),
  message: value(2),
  reason: pointer(3),
  messageExpression: value(4),
});

const auditAnnotation = struct(`${admission}.AuditAnnotation`, {
  key: alwaysPrinted(1),
  valueExpression: alwaysPrinted(2),
});

const matchCondition = struct(`${admission}.MatchCondition`, { name: alwaysPrinted(1), expression: alwaysPrinted(2) });

const variable = struct(`${admission}.Variable`, { name: alwaysPrinted(1), expression: alwaysPrinted(2) });

const validatingAdmissionPolicySpec = struct(`${admission}.ValidatingAdmissionPolicySpec`, {
  paramKind: pointer(1, paramKind),
  matchConstraints: pointer(2, matchResources),
  validations: list(3, validation),
  failurePolicy: pointer(4),
  auditAnnotations: list(5, auditAnnotation),
  matchConditions: list(6, matchCondition),
  variables: list(7, variable),
});

const expressionWarning = struct(`${admission}.ExpressionWarning`, {
  fieldRef: alwaysPrinted(2),
  warning: alwaysPrinted(3),
});

const typeChecking = struct(`${admission}.TypeChecking`, { expressionWarnings: list(1, expressionWarning) });

const validatingAdmissionPolicyStatus = struct(`${admission}.ValidatingAdmissionPolicyStatus`, {
  observedGeneration: value(1, 'int64'),
  typeChecking: pointer(2, typeChecking),
  conditions: list(3, condition),
});

export const validatingAdmissionPolicy = struct(`${admission}.ValidatingAdmissionPolicy`, {
  metadata: value(1, objectMeta),
  spec: value(2, validatingAdmissionPolicySpec),
  status: value(3, validatingAdmissionPolicyStatus),
});

const paramRef = struct(`${admission}.ParamRef`, {
  name: value(1),
  namespace: value(2),
  selector: pointer(3, labelSelector),
  parameterNotFoundAction: pointer(4),
});

const validatingAdmissionPolicyBindingSpec = struct(`${admission}.ValidatingAdmissionPolicyBindingSpec`, {
  policyName: markRequired(value(1)),
  paramRef: pointer(2, paramRef),
  matchResources: pointer(3, matchResources),
  validationActions: markRequired(list(4)),
});

export const validatingAdmissionPolicyBinding = struct(`${admission}.ValidatingAdmissionPolicyBinding`, {
  metadata: value(1, objectMeta),
  spec: markRequired(value(2, validatingAdmissionPolicyBindingSpec)),
});
