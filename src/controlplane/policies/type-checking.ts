import type { PolicySpec } from '../../api/admissionregistration/validating-admission-policy.ts';
import type { ResourceKind } from '../../api/resource.ts';
import type { Schema } from '../../api/schema/schema.ts';
import type { CelType } from '../cel/cel-type.ts';
import type { Parse } from '../cel/parse.ts';
import { declaredType } from '../cel/schema-type.ts';
import { compilePolicy, type PolicyExpression } from './compile-policy.ts';
import type { KindsOfRules } from './kinds-of-rules.ts';

export interface TypeChecking {
  readonly expressionWarnings?: readonly { readonly fieldRef: string; readonly warning: string }[];
}

/** What the types of the kinds that a policy names say against its expressions. Warnings refuse nothing. */
export async function typeChecking(parse: Parse, spec: PolicySpec, kinds: KindsOfRules): Promise<TypeChecking> {
  const warnings = new Map<string, string[]>();
  const plain = new Set((await faultsOf(parse, spec, undefined)).keys());
  for (const kind of kinds(spec.matchConstraints)) {
    const type = objectType(kind);
    if (type === undefined) continue;
    for (const [fieldRef, fault] of await faultsOf(parse, spec, type)) {
      // What is wrong whatever the kind is refuses the policy; it need not be told twice.
      if (plain.has(fieldRef)) continue;
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
  const look = (fieldRef: string, expression: PolicyExpression | undefined): void => {
    if (expression?.fault !== undefined) faults.set(fieldRef, expression.fault);
  };
  for (const [index, { expression, message }] of compiled.validations.entries()) {
    look(`spec.validations[${index}].expression`, expression);
    look(`spec.validations[${index}].messageExpression`, message);
  }
  return faults;
}

/** All of an object's metadata is there for policies, which is more than rules of a definition see. */
function objectType({ schema, kind }: ResourceKind): CelType | undefined {
  const whole: Schema = { ...schema, properties: { ...TYPE_AND_METADATA, ...schema.properties } };
  return declaredType(whole, false, kind)?.type;
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
