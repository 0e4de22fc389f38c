import type { CelType, Parse } from '@flotilla/cel';
import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { Schema } from '../../api/schema/schema.ts';
import { declaredType } from '../validation-rules/schema-type.ts';
import { compilePolicy, type PolicyExpression } from './compile-policy.ts';
import type { FindMatchedKinds } from './matched-kinds.ts';

export interface TypeCheckingStatus {
  readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[];
}

/** Type-checks the expressions of a policy for each matched kind. Returns warnings; they do not prevent the write. */
export async function typeCheckingStatus(
  parse: Parse,
  spec: PolicySpec,
  kinds: FindMatchedKinds,
): Promise<TypeCheckingStatus> {
  const warnings = new Map<string, string[]>();
  const generalFaults = new Set((await faultsOf(parse, spec, undefined)).keys());
  for (const kind of kinds(spec.matchConstraints)) {
    const type = objectType(kind);
    if (type === undefined) continue;
    for (const [fieldRef, fault] of await faultsOf(parse, spec, type)) {
      // Skip an expression that has an error even if the kind is unknown. This error makes the policy itself invalid,
      // so a warning would only repeat the error.
      if (generalFaults.has(fieldRef)) continue;
      const prefix = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
      const text = `${prefix.startsWith('/') ? prefix.slice(1) : prefix}: ${fault.replace(/^compilation failed: /, '')}`;
      warnings.set(fieldRef, [...(warnings.get(fieldRef) ?? []), text]);
    }
  }
  if (warnings.size === 0) return {};
  return {
    expressionWarnings: [...warnings].map(([fieldRef, texts]) => ({ fieldRef, warning: `${texts.join('\n')}\n` })),
  };
}

async function faultsOf(parse: Parse, spec: PolicySpec, type: CelType | undefined): Promise<Map<string, string>> {
  const compiled = await compilePolicy(parse, spec, type);
  const faults = new Map<string, string>();
  const addFault = (fieldRef: string, expression: PolicyExpression | undefined): void => {
    if (expression?.fault !== undefined) faults.set(fieldRef, expression.fault);
  };
  for (const [index, { expression, message }] of compiled.validations.entries()) {
    addFault(`spec.validations[${index}].expression`, expression);
    addFault(`spec.validations[${index}].messageExpression`, message);
  }
  return faults;
}

/** Returns the CEL type of a kind. Unlike the rules of a CustomResourceDefinition, policies can use all metadata. */
function objectType({ schema, kind }: ResourceKind): CelType | undefined {
  const fullSchema: Schema = { ...schema, properties: { ...TYPE_AND_METADATA, ...schema.properties } };
  return declaredType(fullSchema, false, kind)?.type;
}

const text: Schema = { type: 'string' };
const texts: Schema = { type: 'object', additionalProperties: text };
const TYPE_AND_METADATA: Readonly<Record<string, Schema>> = {
  apiVersion: text,
  kind: text,
  metadata: {
    type: 'object',
    properties: {
      name: text,
      generateName: text,
      namespace: text,
      uid: text,
      resourceVersion: text,
      generation: { type: 'integer' },
      creationTimestamp: { type: 'string', format: 'date-time' },
      deletionTimestamp: { type: 'string', format: 'date-time' },
      deletionGracePeriodSeconds: { type: 'integer' },
      labels: texts,
      annotations: texts,
      finalizers: { type: 'array', items: text },
      ownerReferences: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            apiVersion: text,
            kind: text,
            name: text,
            uid: text,
            controller: { type: 'boolean' },
            blockOwnerDeletion: { type: 'boolean' },
          },
        },
      },
    },
  },
};
